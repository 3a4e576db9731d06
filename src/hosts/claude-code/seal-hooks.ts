/**
 * Claude Code compacts, and we give the seed beside its summary: before it, the seed is computed and the program's model is told
 * to be brief; after it, the hooks of SessionStart say the seed in parts. The program's own summary stays, and so does its
 * price. Where there is no seed, its compaction is left as it is.
 */
import type { PlannedSeal } from "../../context/plan.ts";
import { sealAccount } from "../../context/seal/account.ts";
import type { Engine } from "../../engine.ts";
import { answer, type HookAnswer, sessionOf } from "./guard-hooks.ts";
import type { HookEvent } from "./hook-event.ts";
import { seedParts } from "./seed-parts.ts";

/** Read by the model that summarises. */
const BE_BRIEF = `Everything of this conversation is recorded, and right after your summary the session is given a computed account of it: files as they are now, open failures, decisions, what the user said, and handles to every message. Do not repeat any of that. Write an <analysis> of one sentence, and a <summary> of at most eight sentences: what the user wants now, what was just being done, and the next step. No code, no file contents, no list of files.`;

interface Pending {
	readonly session: string;
	readonly seal: PlannedSeal;
	readonly parts: readonly string[];
	isTold: boolean;
}

export class SealHooks {
	#pending: Pending | undefined;

	/** Plain text: instructions for the summary. "" leaves the compaction as it is. */
	async before(engine: Engine, event: HookEvent): Promise<string> {
		this.#pending = undefined;
		const { mode } = engine.settings;
		if (mode === "off" || engine.log.readOnly) return "";
		const ref = sessionOf(event);
		const isAsked = event.trigger === "manual";
		const seal = await engine.requests.seal({
			...ref,
			// `warp` computes a context for each run: here it is computed for what is left of this one.
			mode: mode === "warp" ? "woven" : mode,
			decide: true,
			force: true,
			anySize: true,
			why: isAsked ? "asked" : "host-threshold",
			words: event.words,
		});
		if (!seal || seal.seed.text.trim() === "") return "";
		this.#pending = { session: ref.session, seal, parts: seedParts(seal.seed.text), isTold: false };
		return BE_BRIEF;
	}

	/** After it. The first part that is asked for writes the seal down. */
	after(engine: Engine, event: HookEvent): HookAnswer {
		const pending = this.#pending;
		const ref = sessionOf(event);
		if (!pending || pending.session !== ref.session) return undefined;
		if (!pending.isTold) this.#account(engine, ref, pending);
		pending.isTold = true;
		const part = pending.parts[event.part - 1];
		return part === undefined ? undefined : answer("SessionStart", { additionalContext: part });
	}

	/** The account alone: what the model sees after it is the host's own compaction, and the seed beside it. */
	#account(engine: Engine, ref: ReturnType<typeof sessionOf>, { seal }: Pending): void {
		engine.record([{ type: "Seal", ...ref, payload: sealAccount(seal, engine.settings.mode) }]);
	}
}
