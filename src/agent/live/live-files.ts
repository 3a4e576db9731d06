/**
 * Keeps up with single sessions while their agents write them: finds the files of a session by its id, where its agent
 * keeps them, and reads what is new into the log of the folder where it runs. The files are the agent's own, so what is
 * recorded so equals what an import of them gives.
 */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { EngineError } from "../../base/error/engine-error.ts";
import type { Engine } from "../../engine.ts";
import { projectRoot } from "../../log/home.ts";
import type { AgentPort } from "../port.ts";
import { FileFollower } from "../recorded/file-follower.ts";
import { isDatabase } from "../recorded/file-kind.ts";
import { importTarget } from "../recorded/intake.ts";
import { findSessionFiles } from "../recorded/session-files.ts";
import type { SessionReader } from "../recorded/session-reader.ts";
import { type AgentEngine, openForAgent } from "./agent-engine.ts";
import type { Door } from "./door.ts";
import type { LiveProject } from "./project.ts";

export interface LiveFilesOptions {
	/** Of the agents whose sessions it follows. */
	readonly readers: readonly SessionReader[];
	readonly env: NodeJS.ProcessEnv;
	/** Where all data is kept; by default what the settings say. */
	readonly home?: string | undefined;
	readonly port: AgentPort;
	/** For sessions that do not say where they run. */
	readonly cwd: string;
	readonly onTrouble?: ((path: string, error: EngineError) => void) | undefined;
	readonly warn: (message: string) => void;
	readonly now?: (() => number) | undefined;
}

/** Whose files: the kind of a reader, and the agent's id of the session, without that of a sub-agent. */
export interface AgentSession {
	readonly agent: string;
	readonly id: string;
}

interface Followed {
	readonly follower: FileFollower;
	/** The session's own file; those of its sub-agents lie in a folder of the same name. */
	path: string | undefined;
	engine: Engine | undefined;
	/** One look at a time. */
	looking: Promise<void>;
}

export class LiveFiles {
	readonly #options: LiveFilesOptions;
	readonly #engines = new Map<string, AgentEngine>();
	readonly #followed = new Map<string, Followed>();

	constructor(options: LiveFilesOptions) {
		this.#options = options;
	}

	/** Reads what is new of a session. Gives the engine of its project; undefined: nothing is written of it yet. */
	async catchUp(session: AgentSession): Promise<Engine | undefined> {
		const followed = this.#follow(session);
		const look = followed.looking.then(async () => {
			await followed.follower.look();
		});
		followed.looking = look.catch(() => {});
		await look;
		return followed.engine;
	}

	engineFor(cwd: string | undefined): Engine | undefined {
		return this.projectFor(cwd)?.engine;
	}

	/** A folder's project; undefined: weft is turned off there, or its log cannot be opened. */
	projectFor(cwd: string | undefined): LiveProject | undefined {
		return this.#agentEngine(cwd).project();
	}

	/** Catches failures that concern a folder's project. */
	doorFor(cwd: string | undefined): Door {
		return this.#agentEngine(cwd).door;
	}

	#agentEngine(cwd: string | undefined): AgentEngine {
		const folder = cwd !== undefined && isFolder(cwd) ? cwd : this.#options.cwd;
		const root = projectRoot(folder);
		const { env, home, port, warn, now } = this.#options;
		const opened = this.#engines.get(root) ?? openForAgent({ port, cwd: folder, env, home, warn, now });
		this.#engines.set(root, opened);
		return opened;
	}

	forget({ agent, id }: AgentSession): void {
		this.#followed.delete(`${agent} ${id}`);
	}

	async close(): Promise<void> {
		await Promise.all([...this.#followed.values()].map(({ looking }) => looking));
		for (const engine of this.#engines.values()) engine.close();
		this.#engines.clear();
		this.#followed.clear();
	}

	#follow({ agent, id }: AgentSession): Followed {
		const key = `${agent} ${id}`;
		const known = this.#followed.get(key);
		if (known) return known;
		const followed: Followed = {
			path: undefined,
			engine: undefined,
			looking: Promise.resolve(),
			follower: new FileFollower({
				readers: this.#options.readers,
				files: () => {
					followed.path ??= this.#find(agent, id)[0];
					return followed.path === undefined ? [] : [followed.path, ...childrenOf(followed.path)];
				},
				logFor: (cwd) => {
					const engine = this.engineFor(cwd);
					followed.engine = engine;
					if (!engine) throw new EngineError("refused", "weft is turned off, or its log cannot be opened.");
					return importTarget(engine.log);
				},
				onTrouble: this.#options.onTrouble,
			}),
		};
		this.#followed.set(key, followed);
		return followed;
	}

	/** Sub-agents' files stand after that of the session. */
	#find(agent: string, id: string): string[] {
		const { readers, env } = this.#options;
		const reader = readers.find(({ kind }) => kind === agent);
		const places = reader?.places(env, env["HOME"] || homedir()) ?? [];
		// A database holds all sessions; those with something new are read.
		const [database] = places.filter(({ path }) => isDatabase(path));
		if (database) return [database.path];
		return places.flatMap(({ path, holds }) =>
			findSessionFiles(path, (below) => below.endsWith(`${id}.jsonl`) && (holds?.(below) ?? true)),
		);
	}
}

function childrenOf(path: string): string[] {
	const folder = path.replace(/\.jsonl$/, "");
	return isFolder(folder) ? findSessionFiles(folder) : [];
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
