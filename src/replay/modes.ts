/** The modes by name, each made anew for every session of a recording. */
import type { Profile } from "../context/seal/rule.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../session/tree.ts";
import type { Prices } from "../tokens/prices.ts";
import { HostMode } from "./host-mode.ts";
import { LosslessMode } from "./lossless-mode.ts";
import type { Path } from "./path.ts";
import type { Mode, PlannedRequest } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";
import { WarpMode } from "./warp-mode.ts";
import { WovenMode } from "./woven-mode.ts";

export const MODE_NAMES = ["woven", "warp", "lossless", "host"] as const;
export type ModeName = (typeof MODE_NAMES)[number];

export interface ModeOptions {
	/** Written to by modes that summarise: then it must be a copy of the recording's. */
	readonly log: Log;
	readonly prices: Prices;
	readonly profile: Profile;
	readonly window: number;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
	/** The folder in which a session ran. */
	readonly rootOf: (session: string) => string;
}

export function makeMode(name: ModeName, options: ModeOptions): Mode {
	return new PerSession((session) => {
		switch (name) {
			case "woven":
				return new WovenMode({ ...options, session });
			case "warp":
				return new WarpMode(options);
			case "lossless":
				return new LosslessMode(options);
			case "host":
				return new HostMode(options.window, options.fixed);
		}
	});
}

/** A file may hold several sessions: each is worked on by itself. */
export class PerSession implements Mode {
	readonly #make: (session: SessionRef) => Mode;
	readonly #modes = new Map<string, Mode>();

	constructor(make: (session: SessionRef) => Mode) {
		this.#make = make;
	}

	get seals(): number {
		return [...this.#modes.values()].reduce((sum, mode) => sum + mode.seals, 0);
	}

	plan(call: RecordedCall, path: Path): PlannedRequest | Promise<PlannedRequest> {
		const { session } = call.session;
		const mode = this.#modes.get(session) ?? this.#make(call.session);
		this.#modes.set(session, mode);
		return mode.plan(call, path);
	}
}
