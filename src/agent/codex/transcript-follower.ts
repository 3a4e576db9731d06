/** Reads Codex's own files as they grow, for hooks that name them. Each file is read on from where the last hook ended. */
import { BoundedMap } from "../../base/collection/bounded.ts";
import type { EngineError } from "../../base/error/engine-error.ts";
import { statOf } from "../../base/file/regular-file.ts";
import type { Log } from "../../log/log.ts";
import { FileFollower } from "../recorded/file-follower.ts";
import { importTarget } from "../recorded/intake.ts";
import { codexReader } from "./reader.ts";

interface FollowedTranscript {
	readonly follower: FileFollower;
	/** The log of the hook that reads now. */
	log: Log;
	/** Looks run one after another. */
	looking: Promise<void>;
	trouble: EngineError | undefined;
}

/** A longer session is not read from its beginning at a hook: the proxy, or the next import, does it. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const MAX_TRANSCRIPTS = 64;

export class TranscriptFollower {
	readonly #followed = new BoundedMap<string, FollowedTranscript>(MAX_TRANSCRIPTS);

	/** Reads the new lines into the log. After a failure the next hook reads the file from its beginning. */
	async catchUp(path: string, log: Log): Promise<void> {
		const followed = this.#followed.get(path) ?? this.#follow(path, log);
		if (!followed) return;
		const look = followed.looking.then(async () => {
			// An earlier look has failed: lines that it read are not in the log.
			if (this.#followed.get(path) !== followed) return;
			followed.log = log;
			await followed.follower.look();
			if (followed.trouble) throw followed.trouble;
		});
		followed.looking = look.catch(() => {
			this.#followed.delete(path);
		});
		await look;
	}

	forget(path: string): void {
		this.#followed.delete(path);
	}

	#follow(path: string, log: Log): FollowedTranscript | undefined {
		const size = statOf(path)?.size ?? 0;
		if (size === 0 || size > MAX_READ_BYTES) return undefined;
		const followed: FollowedTranscript = {
			log,
			looking: Promise.resolve(),
			trouble: undefined,
			follower: new FileFollower({
				readers: [codexReader],
				files: () => [path],
				logFor: () => importTarget(followed.log),
				onTrouble: (_, error) => {
					followed.trouble = error;
				},
			}),
		};
		this.#followed.set(path, followed);
		return followed;
	}
}
