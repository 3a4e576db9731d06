/**
 * Claude Code compacts, and we give the seed beside its summary: before it, the seed is computed and the program's model is told
 * to be brief; after it, the hooks of SessionStart say the seed in parts. The program's own summary stays, and so does its
 * price. Where there is no seed, its compaction is left as it is.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { PlannedSeal } from "../../context/plan.ts";
import { sealAccount } from "../../context/seal/rule.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { hasSeedOffer } from "../live/seed-offer-event.ts";
import type { LiveSession } from "../live/session.ts";
import type { HookEvent } from "./hook-event.ts";
import { seedParts } from "./seed-parts.ts";
import { answer, type HookAnswer } from "./tool-hooks.ts";

/** Read by the model that summarises. */
const BE_BRIEF = `Everything of this conversation is recorded, and right after your summary the session is given a computed account of it: files as they are now, open failures, decisions, what the user said, and handles to every message. Do not repeat any of that. Write an <analysis> of one sentence, and a <summary> of at most eight sentences: what the user wants now, what was just being done, and the next step. No code, no file contents, no list of files.`;

interface Pending {
	readonly session: string;
	/** The newest event before the compaction. */
	readonly newest: number;
	/** What is said after it; undefined: nothing, because somebody else gave the seed. */
	told?: Promise<Told | undefined> | undefined;
	readonly tell: () => Promise<Told | undefined>;
}

interface Told {
	readonly seal: PlannedSeal;
	readonly parts: readonly string[];
}

export interface SealHooksOptions {
	/** True: weft's proxy is expected to answer with the seed itself. Then it is computed here only where it did not. */
	readonly isProxied: boolean;
	readonly onFault: (where: string, error: unknown) => void;
}

export class SealHooks {
	readonly #isProxied: boolean;
	readonly #onFault: SealHooksOptions["onFault"];
	#pending: Pending | undefined;

	constructor({ isProxied, onFault }: SealHooksOptions) {
		this.#isProxied = isProxied;
		this.#onFault = onFault;
	}

	/**
	 * Plain text: instructions for the summary. "" leaves the compaction as it is. `catchUp` reads in what was written since:
	 * the newest results may come to the transcript a moment after the hook.
	 */
	async before(engine: Engine, session: LiveSession, event: HookEvent, catchUp: () => Promise<void>): Promise<string> {
		this.#pending = undefined;
		session.beforeCompaction();
		if (session.sealMode === "off" || engine.log.readOnly) return "";
		const { ref } = session;
		const leaf = await closedLeaf(engine, ref, this.#isProxied ? undefined : catchUp);
		const make = async (): Promise<Told | undefined> => {
			const seal = await session.seal({
				leaf,
				force: true,
				anySize: true,
				why: event.trigger === "manual" ? "asked" : "host-threshold",
				words: event.words,
			});
			return !seal || seal.seed.text.trim() === "" ? undefined : { seal, parts: seedParts(seal.seed.text) };
		};
		const made = this.#isProxied ? undefined : await make();
		if (!this.#isProxied && !made) return "";
		const newest = engine.log.newestSeq();
		this.#pending = { session: ref.session, newest, tell: async () => made ?? make() };
		return this.#isProxied ? "" : BE_BRIEF;
	}

	/** After it. The first part that is asked for writes the seal down. */
	async after(engine: Engine, session: LiveSession, event: HookEvent): Promise<HookAnswer> {
		const pending = this.#pending;
		const { ref } = session;
		if (!pending || pending.session !== ref.session) return undefined;
		pending.told ??= this.#tell(engine, session, pending);
		const told = await pending.told;
		const part = told?.parts[event.part - 1];
		return part === undefined ? undefined : answer("SessionStart", { additionalContext: part });
	}

	async #tell(engine: Engine, session: LiveSession, { newest, tell }: Pending): Promise<Told | undefined> {
		const { ref } = session;
		if (hasSeedOffer(engine, ref, newest)) return undefined;
		const told = await tell();
		session.afterCompaction();
		// The account alone: what the model sees after it is the host's own compaction, and the seed beside it.
		try {
			if (told) engine.record([{ type: "Seal", ...ref, payload: sealAccount(told.seal, session.sealMode) }]);
		} catch (error) {
			// The model was told to be brief: it gets the seed whether or not the account can be written.
			this.#onFault("seal", error);
		}
		return told;
	}
}

const LOOKS = 10;
const LOOK_MS = 50;
const MAX_STEPS_BACK = 50;

/**
 * The newest entry at which every call has its result. The program compacts between calls, so at most the last pair is before
 * it. `catchUp`: the newest results are waited for.
 */
async function closedLeaf(
	engine: Engine,
	ref: SessionRef,
	catchUp: (() => Promise<void>) | undefined,
): Promise<number | undefined> {
	const { requests, history } = engine;
	const isOpen = (leaf?: number) => requests.moment({ ...ref, leaf }).path.isOpen;
	for (let look = 0; catchUp && look < LOOKS && isOpen(); look++) {
		await pause(LOOK_MS);
		await catchUp();
	}
	history.tree.catchUp();
	let leaf = history.tree.tip(ref);
	for (let step = 0; step < MAX_STEPS_BACK && leaf !== undefined && isOpen(leaf); step++)
		leaf = history.tree.get(leaf)?.parent ?? undefined;
	return leaf;
}
