/**
 * How weft is set up in an agent: find the program, plan the changes, start one session, check an installation. Each agent
 * implements it in its own `setup.ts`. A plan is data, so a person can read it before anything happens. Only `apply.ts`
 * writes files and restores them.
 */
import type { SealSetting } from "../../context/seal/policy.ts";
import type { JsonEdit } from "./json-edit.ts";
import type { MarkedTable } from "./toml-table.ts";

export type AgentName = "claude" | "codex" | "opencode";

export interface FoundAgent {
	/** The program's absolute path. */
	readonly program: string;
	/** As the program reports it; undefined if it did not answer. */
	readonly version: string | undefined;
	/** The agent's settings folder. */
	readonly folder: string;
}

/** One file that setup would write. */
export interface SetupChange {
	/** An absolute path. */
	readonly file: string;
	/** One sentence for the person who decides. */
	readonly what: string;
	/** undefined: the file does not exist. */
	readonly before: string | undefined;
	readonly after: string;
	/** Permissions of a new file; 0o600 by default. */
	readonly mode?: number | undefined;
	/** Finds our part again after the file has changed. Without it, undo leaves a changed file alone and says so. */
	readonly ours?: OwnPart | undefined;
}

/** Our part of a file that belongs to someone else. */
export type OwnPart =
	| { readonly kind: "table"; readonly table: MarkedTable }
	| { readonly kind: "json"; readonly edits: readonly JsonEdit[] };

export interface SetupOptions {
	/** The command that starts weft, with `--home` if it is not the default. */
	readonly weft: WeftCommand;
	/** Where weft keeps its data and the files that it writes for an agent. */
	readonly dataHome: string;
	readonly env: NodeJS.ProcessEnv;
	/** `weft init --proxy`: put a launcher in front of the agent's command. */
	readonly proxy?: boolean | undefined;
	/** False: leave it to the agent when to compact. */
	readonly compaction?: boolean | undefined;
	/** True: show weft's status line, if the agent has a free slot for one. */
	readonly statusLine?: boolean | undefined;
}

export type WeftCommand = readonly [program: string, ...args: string[]];

/** True: the command line of an MCP server starts a weft, wherever it is installed. */
export function isWeftServer(commandLine: string): boolean {
	return /(?:\bweft\b|\/cli\/main\.[jt]s).*\bmcp$/.test(commandLine);
}

/** A session that is about to start. */
export interface AgentSession {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	/** The agent's own arguments. */
	readonly args: readonly string[];
	/** `--opaque-seals`: seal even if only weft can read the result later. */
	readonly opaqueSeals?: boolean | undefined;
	/** The user's policy of seals; by default by who pays what. */
	readonly seal?: SealSetting | undefined;
}

export interface Provider {
	/** Its name in the agent's settings; undefined: the built-in one. */
	readonly name?: string | undefined;
	readonly url: string;
	/** The agent asks it to compact into an item that only the provider can read. */
	readonly isOpaque?: boolean | undefined;
}

/** How to start `weft proxy` for a session. */
export interface ProxyPlan {
	readonly args: readonly string[];
	/** For an agent whose settings lead it to the proxy. */
	readonly provider?: Provider | undefined;
	/** One sentence for the person: what the proxy does in this session. */
	readonly says?: string | undefined;
}

export interface NoProxy {
	/** One sentence for the person. */
	readonly why: string;
}

/** The parts of one session of `weft run`. */
export interface AgentRun {
	readonly weft: WeftCommand;
	/** The session's own folder, removed when the agent ends. */
	readonly folder: string;
	/** `http://127.0.0.1:PORT`, if a proxy runs. */
	readonly proxy?: string | undefined;
	/** The provider behind the proxy, as its plan names it. */
	readonly provider?: Provider | undefined;
	readonly env: NodeJS.ProcessEnv;
	/** The user's policy of seals; by default by who pays what. */
	readonly seal?: SealSetting | undefined;
	/** `--home`, if it was given. */
	readonly home?: string | undefined;
}

export interface AgentStart {
	readonly file: string;
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	/** One sentence for the person: what is missing in this session. */
	readonly says?: string | undefined;
}

/** A line of `weft doctor`. */
export interface Finding {
	readonly level: "ok" | "warn";
	readonly says: string;
	/** The remedy for a warning. */
	readonly todo?: string | undefined;
}

/** An agent that `weft run` starts. */
export interface AgentProgram {
	/** The command that starts it. */
	readonly name: string;
	/** The program's name, for people. */
	readonly title: string;
	/** The command that installs it, for a user who does not have it. */
	readonly installedBy?: string | undefined;
	/** The agent's own command that installs weft in it, where `weft init` does not. */
	readonly installsWeftBy?: string | undefined;
	/** undefined: not on this machine. */
	find(env: NodeJS.ProcessEnv): FoundAgent | undefined;
	/** How to start `weft proxy`; absent for an agent that cannot use one. */
	proxied?(found: FoundAgent, session: AgentSession): Promise<ProxyPlan | NoProxy>;
	/** The arguments with which it does one task without a person, and ends. `args`: the user's own. */
	headless(task: string, args: readonly string[]): readonly string[];
	/** How `weft run` starts the agent for one session. Writes at most to `run.folder`, never to the user's settings. */
	command(found: FoundAgent, args: readonly string[], run: AgentRun): AgentStart;
}

/** An agent that `weft init` sets up. */
export interface AgentSetup extends AgentProgram {
	readonly name: AgentName;
	/** The versions that our tests run. */
	readonly tested: readonly string[];
	/** The settings folder, even if the agent is not installed. */
	folder(env: NodeJS.ProcessEnv): string;
	/** Reads, never writes. Empty: everything is in place. */
	plan(found: FoundAgent, options: SetupOptions): readonly SetupChange[];
	/** Conflicts with the user's own settings, which setup leaves alone. */
	remarks?(found: FoundAgent, options: SetupOptions): readonly string[];
	/** Sentences for the person once the plan is applied. */
	afterwards?(found: FoundAgent): readonly string[];
	/** After an undo: takes weft out of lists that the agent keeps by itself. `folder`: its settings. Never throws. */
	forget?(folder: string, dataHome: string): void;
	/** For `weft doctor`. */
	check(found: FoundAgent, options: SetupOptions): readonly Finding[];
}

/** A file that already holds the planned text needs no change. */
export function onlyDue(changes: readonly SetupChange[]): SetupChange[] {
	return changes.filter(({ before, after }) => before !== after);
}
