/**
 * Records a session that runs now. Hooks tell when to look; the bytes come from the transcript that Claude Code writes, read
 * on from where it ended through the reader that imports use. So what is recorded live is what an import gives, and a hook
 * that never came costs nothing: the next look reads everything since.
 */
import { basename } from "node:path";
import type { Engine } from "../../engine.ts";
import { listSessions } from "../../state/session/find-session.ts";
import type { OpenEngine } from "../live/connected-agent.ts";
import { FileFollower } from "../recorded/file-follower.ts";
import { claudeCodeReader } from "./reader.ts";
import { filesOf, findTranscript, siblingsOf } from "./transcripts.ts";
import { CLAUDE_CODE_HOST } from "./translate.ts";

export interface RecorderOptions {
	readonly env: NodeJS.ProcessEnv;
	readonly open: OpenEngine;
	readonly onFault: (where: string, error: unknown) => void;
}

/** A line that was written after the newest event that we have of its session. */
const CLOCK_MS = 2_000;

export class Recorder {
	readonly #options: RecorderOptions;
	/** By session: after /clear the same process goes on with another one. */
	readonly #transcripts = new Map<string, string>();
	#earlier: readonly string[] | undefined;
	#follower: FileFollower | undefined;
	#engine: Engine | undefined;
	#running: Promise<void> = Promise.resolve();

	constructor(options: RecorderOptions) {
		this.#options = options;
	}

	/** Where a session is written. Only a file of its own name is taken for it. */
	learn(session: string, transcript: string | undefined): void {
		if (transcript !== undefined && basename(transcript) === `${session}.jsonl`)
			this.#transcripts.set(session, transcript);
	}

	/** One look after the other. Never throws. */
	catchUp(session: string | undefined): Promise<void> {
		this.#running = this.#running
			.then(() => this.#look(session))
			.catch((error) => this.#options.onFault("record", error));
		return this.#running;
	}

	async #look(session: string | undefined): Promise<void> {
		const engine = this.#options.open();
		if (!engine || engine.log.readOnly) return;
		if (session !== undefined && !this.#transcripts.has(session))
			this.learn(session, findTranscript(this.#options.env, session));
		if (this.#transcripts.size === 0) return;
		await this.#followerOf(engine).look();
	}

	#followerOf(engine: Engine): FileFollower {
		if (this.#follower && this.#engine === engine) return this.#follower;
		this.#engine = engine;
		this.#earlier = this.#unfinished(engine);
		this.#follower = new FileFollower({
			readers: [claudeCodeReader],
			files: () => this.#files(),
			logFor: () => ({
				append: (events) => engine.record(events),
				read: (query) => engine.log.read(query),
				putBlob: (bytes) => engine.log.putBlob(bytes),
			}),
			onTrouble: (path, error) => {
				// A file of a session that has not said anything yet.
				if (error.code !== "unknown-format") this.#options.onFault(`record ${path}`, error);
			},
		});
		return this.#follower;
	}

	#files(): string[] {
		return [...(this.#earlier ?? []), ...[...this.#transcripts.values()].flatMap(filesOf)];
	}

	/** Sessions of this project whose last lines we missed: the program ends its servers when it likes. */
	#unfinished({ log }: Engine): string[] {
		const known = new Map(
			listSessions(log).flatMap(({ host, session, last_ts }) =>
				host === CLAUDE_CODE_HOST ? [[session, last_ts]] : [],
			),
		);
		const siblings = [...this.#transcripts.values()].flatMap(siblingsOf);
		return siblings
			.filter(({ session, at }) => at > (known.get(session) ?? Number.POSITIVE_INFINITY) + CLOCK_MS)
			.flatMap(({ path }) => filesOf(path));
	}
}
