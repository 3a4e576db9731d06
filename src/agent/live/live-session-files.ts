/**
 * Follows single sessions while their agents write them: finds the files of a session by its id and reads new records into
 * the log of the session's project. The files are the agent's own, so the log equals what an import gives.
 */
import { homedir } from "node:os";
import { EngineError } from "../../base/error/engine-error.ts";
import { statOf } from "../../base/file/regular-file.ts";
import { once } from "../../base/text/memo.ts";
import type { Engine } from "../../engine.ts";
import { projectRoot } from "../../log/home.ts";
import type { AgentPort } from "../port.ts";
import { FileFollower } from "../recorded/file-follower.ts";
import { isDatabase } from "../recorded/file-kind.ts";
import { importTarget } from "../recorded/intake.ts";
import { findSessionFiles } from "../recorded/session-files.ts";
import type { SessionReader } from "../recorded/session-reader.ts";
import { type AgentEngine, openAgentEngine } from "./agent-engine.ts";
import type { Door } from "./door.ts";
import type { LiveProject } from "./project.ts";

export interface LiveSessionFilesOptions {
	/** One for each agent whose sessions it follows. */
	readonly readers: readonly SessionReader[];
	readonly env: NodeJS.ProcessEnv;
	/** The data folder; by default the one in the settings. */
	readonly home?: string | undefined;
	readonly port: AgentPort;
	/** For sessions that do not name their folder. */
	readonly cwd: string;
	readonly onTrouble?: ((path: string, error: EngineError) => void) | undefined;
	readonly warn: (message: string) => void;
	readonly now?: (() => number) | undefined;
}

/** The kind of a reader, and the agent's id of the session; a sub-agent has the id of its parent. */
export interface AgentSessionId {
	readonly agent: string;
	readonly id: string;
}

interface FollowedFiles {
	readonly follower: FileFollower;
	/** The session's own file; its sub-agents' files are in a folder of the same name. */
	path: string | undefined;
	engine: Engine | undefined;
	/** The last look: looks run one after another. */
	looking: Promise<void>;
}

export class LiveSessionFiles {
	readonly #options: LiveSessionFilesOptions;
	readonly #engines = new Map<string, AgentEngine>();
	readonly #followed = new Map<string, FollowedFiles>();

	constructor(options: LiveSessionFilesOptions) {
		// Projects share the user's settings, and so the notices about them.
		this.#options = { ...options, warn: once(options.warn) };
	}

	/** Reads a session's new records. Gives the engine of its project; undefined: the agent has written nothing yet. */
	async catchUp(session: AgentSessionId): Promise<Engine | undefined> {
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

	/** The project of a folder; undefined: weft is off there, or its log cannot be opened. */
	projectFor(cwd: string | undefined): LiveProject | undefined {
		return this.#agentEngine(cwd).project();
	}

	/** Catches failures in the folder's project. */
	doorFor(cwd: string | undefined): Door {
		return this.#agentEngine(cwd).door;
	}

	#agentEngine(cwd: string | undefined): AgentEngine {
		const folder = cwd !== undefined && isFolder(cwd) ? cwd : this.#options.cwd;
		const root = projectRoot(folder);
		const { env, home, port, warn, now } = this.#options;
		const opened = this.#engines.get(root) ?? openAgentEngine({ port, cwd: folder, env, home, warn, now });
		this.#engines.set(root, opened);
		return opened;
	}

	forget({ agent, id }: AgentSessionId): void {
		this.#followed.delete(`${agent} ${id}`);
	}

	async close(): Promise<void> {
		await Promise.all([...this.#followed.values()].map(({ looking }) => looking));
		for (const engine of this.#engines.values()) engine.close();
		this.#engines.clear();
		this.#followed.clear();
	}

	#follow({ agent, id }: AgentSessionId): FollowedFiles {
		const key = `${agent} ${id}`;
		const known = this.#followed.get(key);
		if (known) return known;
		const followed: FollowedFiles = {
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
					if (!engine) throw new EngineError("refused", "weft is off here, or its log cannot be opened.");
					return importTarget(engine.log);
				},
				onTrouble: this.#options.onTrouble,
			}),
		};
		this.#followed.set(key, followed);
		return followed;
	}

	/** The session's own file comes first, then those of its sub-agents. */
	#find(agent: string, id: string): string[] {
		const { readers, env } = this.#options;
		const reader = readers.find(({ kind }) => kind === agent);
		const places = reader?.places(env, env["HOME"] || homedir()) ?? [];
		// A database holds all sessions; the follower reads those with new records.
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
	return statOf(path)?.isDirectory() ?? false;
}
