/**
 * Claude Code compacts, and we give the seed beside its summary: before it, the seed is computed and the program's model is told
 * to be brief; after it, the hooks of SessionStart say the seed in parts. The program's own summary stays, and so does its
 * price. Where there is no seed, its compaction is left as it is.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { PlannedSeal } from "../../context/plan.ts";
import { sealAccount } from "../../context/seal/account.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../session/tree.ts";
import { isSeedOffered } from "../seed-offered.ts";
import { answer, type HookAnswer, sessionOf } from "./guard-hooks.ts";
import type { HookEvent } from "./hook-event.ts";
import { seedParts } from "./seed-parts.ts";

/** Read by the model that summarises. */
const BE_BRIEF = `Everything of this conversation is recorded, and right after your summary the session is given a computed account of it: files as they are now, open failures, decisions, what the user said, and handles to every message. Do not repeat any of that. Write an <analysis> of one sentence, and a <summary> of at most eight sentences: what the user wants now, what was just being done, and the next step. No code, no file contents, no list of files.`;

interface Pending {
	readonly session: string;
	readonly seal: PlannedSeal;
	readonly parts: readonly string[];
	/** The newest event before the compaction. */
	readonly newest: number;
	isTold: boolean;
}

export class SealHooks {
	readonly #isProxied: boolean;
	#pending: Pending | undefined;

	/** `isProxied`: weft's proxy may answer the compaction with the seed itself. Then nobody needs to be brief. */
	constructor({ isProxied }: { readonly isProxied: boolean }) {
		this.#isProxied = isProxied;
	}

	/**
	 * Plain text: instructions for the summary. "" leaves the compaction as it is. `catchUp` reads in what was written since:
	 * the newest results may come to the transcript a moment after the hook.
	 */
	async before(engine: Engine, event: HookEvent, catchUp: () => Promise<void>): Promise<string> {
		this.#pending = undefined;
		const { mode } = engine.settings;
		if (mode === "off" || engine.log.readOnly) return "";
		const ref = sessionOf(event);
		const isAsked = event.trigger === "manual";
		const seal = await engine.requests.seal({
			...ref,
			leaf: await closedLeaf(engine, ref, catchUp),
			// `warp` computes a context for each run: here it is computed for what is left of this one.
			mode: mode === "warp" ? "woven" : mode,
			decide: true,
			force: true,
			anySize: true,
			why: isAsked ? "asked" : "host-threshold",
			words: event.words,
		});
		if (!seal || seal.seed.text.trim() === "") return "";
		const newest = engine.log.newestSeq();
		this.#pending = { session: ref.session, seal, parts: seedParts(seal.seed.text), newest, isTold: false };
		return this.#isProxied ? "" : BE_BRIEF;
	}

	/** After it. The first part that is asked for writes the seal down. */
	after(engine: Engine, event: HookEvent): HookAnswer {
		const pending = this.#pending;
		const ref = sessionOf(event);
		if (!pending || pending.session !== ref.session) return undefined;
		if (!pending.isTold && isSeedOffered(engine, ref, pending.newest)) {
			this.#pending = undefined;
			return undefined;
		}
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

const LOOKS = 10;
const LOOK_MS = 50;
const MOST_STEPS_BACK = 50;

/** The newest entry at which every call has its result. The program compacts between calls, so at most the last pair is before it. */
async function closedLeaf(engine: Engine, ref: SessionRef, catchUp: () => Promise<void>): Promise<number | undefined> {
	const { requests, history } = engine;
	const isOpen = (leaf?: number) => requests.moment({ ...ref, leaf }).path.isOpen;
	for (let look = 0; look < LOOKS && isOpen(); look++) {
		await pause(LOOK_MS);
		await catchUp();
	}
	history.tree.catchUp();
	let leaf = history.tree.tip(ref);
	for (let step = 0; step < MOST_STEPS_BACK && leaf !== undefined && isOpen(leaf); step++)
		leaf = history.tree.get(leaf)?.parent ?? undefined;
	return leaf;
}
