/**
 * How an agent is set up to work with weft: found, planned, started for one session, and looked at. One implementation per
 * agent in this folder. A plan is data: what would be written where, and why, so that a person can read it first.
 * `apply.ts` is the only place that writes, and that takes back.
 */
import type { JsonEdit } from "./json-edit.ts";
import type { MarkedTable } from "./toml-table.ts";

export type AgentName = "claude" | "codex" | "opencode";

export interface Found {
	/** The program, as an absolute path. */
	readonly program: string;
	/** As the program says it; undefined where it did not answer. */
	readonly version: string | undefined;
	/** The agent's own folder of settings. */
	readonly folder: string;
}

/** A file that would be written. */
export interface Change {
	/** An absolute path. */
	readonly file: string;
	/** One sentence for the person who is asked. */
	readonly what: string;
	/** undefined: the file is not there. */
	readonly before: string | undefined;
	readonly after: string;
	/** For a file that is made: its permissions (0o600 where nothing is said). */
	readonly mode?: number | undefined;
	/** How ours is found again in a file that somebody changed since. Without it such a file is left alone, and said so. */
	readonly ours?: Ours | undefined;
}

export type Ours =
	/** A table of a TOML file. */
	| { readonly kind: "table"; readonly table: MarkedTable }
	/** Values at places of a JSON file. */
	| { readonly kind: "json"; readonly edits: readonly JsonEdit[] };

export interface PlanOptions {
	/** How weft itself is started: the program and its first arguments, `--home` among them where it is not the usual one. */
	readonly weft: WeftCommand;
	/** Where weft keeps its data: what it brings for an agent lies there too. */
	readonly dataHome: string;
	readonly env: NodeJS.ProcessEnv;
	/** `weft init --proxy`: a launcher in front of the agent's command. */
	readonly proxy?: boolean | undefined;
	/** False: when the agent compacts is left to it. */
	readonly compaction?: boolean | undefined;
	/** True: weft's line at the foot of the agent's screen, where the agent has a place for it and nothing stands there. */
	readonly statusLine?: boolean | undefined;
}

export type WeftCommand = readonly [program: string, ...args: string[]];

/** A session that is about to be started. */
export interface AgentSession {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	/** The agent's own arguments. */
	readonly args: readonly string[];
	/** `--opaque-seals`: seals also where only weft can read them afterwards. */
	readonly opaqueSeals?: boolean | undefined;
}

export interface Provider {
	/** As the agent's settings name it; undefined: the one that is built in. */
	readonly name?: string | undefined;
	readonly url: string;
	/** The agent asks it to compact into an item that only its maker can read. */
	readonly isOpaque?: boolean | undefined;
}

/** What `weft proxy` is started with. */
export interface ProxyPlan {
	readonly args: readonly string[];
	/** For an agent that is led to the proxy by its settings. */
	readonly provider?: Provider | undefined;
	/** What the proxy does for this session, in a sentence for the person. */
	readonly says?: string | undefined;
}

/** Said to the person, in a sentence. */
export interface NoProxy {
	readonly why: string;
}

/** What one session is started with. */
export interface RunPlace {
	readonly weft: WeftCommand;
	/** A folder of this session's own, which is removed when the agent ends. */
	readonly folder: string;
	/** `http://127.0.0.1:PORT`, where a proxy is in front of the provider. */
	readonly proxy?: string | undefined;
	/** What the proxy stands before, where the plan of it says so. */
	readonly provider?: Provider | undefined;
	readonly env: NodeJS.ProcessEnv;
	/** `--home`, where it was given. */
	readonly home?: string | undefined;
}

export interface Start {
	readonly file: string;
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
}

/** A line of `weft doctor`. */
export interface Finding {
	readonly level: "ok" | "warn";
	readonly says: string;
	/** For what is not ok. */
	readonly todo?: string | undefined;
}

/** An agent that `weft run` starts. */
export interface AgentProgram {
	/** As it is typed. */
	readonly name: string;
	/** As people call the program. */
	readonly title: string;
	/** The command that installs it, for a user who does not have it. */
	readonly installedBy?: string | undefined;
	/** undefined: not on this machine. */
	find(env: NodeJS.ProcessEnv): Found | undefined;
	/** What `weft proxy` is started with, where a proxy can stand in front of the agent's provider. */
	proxied?(found: Found, session: AgentSession): Promise<ProxyPlan | NoProxy>;
	/** How `weft run` starts the agent for this one session. Writes to `place.folder` at most, never to the user's settings. */
	command(found: Found, args: readonly string[], place: RunPlace): Start;
}

/** An agent that `weft init` sets up. */
export interface AgentSetup extends AgentProgram {
	readonly name: AgentName;
	/** The versions that our tests run. */
	readonly tested: readonly string[];
	/** Of its settings, whether it is on this machine or not. */
	folder(env: NodeJS.ProcessEnv): string;
	/** Reads, never writes. Empty: everything is as it should be. */
	plan(found: Found, options: PlanOptions): readonly Change[];
	/** What stands in the way and is left as it is. */
	remarks?(found: Found, options: PlanOptions): readonly string[];
	/** What the person has to do or know after it was applied. */
	afterwards?(found: Found): readonly string[];
	/** For `weft doctor`. */
	check(found: Found, options: PlanOptions): readonly Finding[];
}
