/**
 * Records a running session. Hooks say when to look; the bytes come from the transcript that Claude Code writes, through the
 * reader that imports use. So a live record equals an import, and a missed hook costs nothing: the next look reads
 * everything since.
 */
import { basename } from "node:path";
import type { Engine } from "../../engine.ts";
import { listSessions } from "../../state/session/find-session.ts";
import type { OpenEngine } from "../live/connected-agent.ts";
import { FileFollower } from "../recorded/file-follower.ts";
import { claudeCodeReader } from "./reader.ts";
import { filesOf, findTranscript, siblingsOf } from "./transcripts.ts";
import { CLAUDE_CODE_HOST } from "./translate.ts";

export interface TranscriptRecorderOptions {
	readonly env: NodeJS.ProcessEnv;
	readonly open: OpenEngine;
	readonly onFault: (where: string, error: unknown) => void;
}

/** A transcript this much newer than the newest event of its session has lines that we missed. */
const CLOCK_MS = 2_000;

export class TranscriptRecorder {
	readonly #options: TranscriptRecorderOptions;
	/** By session: after /clear the same process gets another session. */
	readonly #transcripts = new Map<string, string>();
	#earlier: readonly string[] | undefined;
	#follower: FileFollower | undefined;
	#engine: Engine | undefined;
	#running: Promise<void> = Promise.resolve();

	constructor(options: TranscriptRecorderOptions) {
		this.#options = options;
	}

	/** Sets the transcript of a session. Ignores a file with another name than the session's. */
	learn(session: string, transcript: string | undefined): void {
		if (transcript !== undefined && basename(transcript) === `${session}.jsonl`)
			this.#transcripts.set(session, transcript);
	}

	/** Looks run one after the other. Never throws. */
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
			onTrouble: (_path, error) => {
				// The session has no message yet.
				if (error.code !== "unknown-format") this.#options.onFault("record", error);
			},
		});
		return this.#follower;
	}

	#files(): string[] {
		return [...(this.#earlier ?? []), ...[...this.#transcripts.values()].flatMap(filesOf)];
	}

	/** Sessions of this project whose last lines we missed, because the program may end its servers at any time. */
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
