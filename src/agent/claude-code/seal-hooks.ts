/**
 * Adds the seed to Claude Code's own compaction. Before it, weft computes the seed and tells the program's model to be brief;
 * after it, the hooks of SessionStart return the seed in parts. The program still writes its own summary, and the user pays
 * for it. Without a seed the compaction stays as it is.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { PlannedSeal } from "../../context/plan.ts";
import { sealAccount } from "../../context/seal/rule.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { askedFor, findSeedOffer } from "../live/seed-offer-event.ts";
import type { LiveSession } from "../live/session.ts";
import type { ClaudeHookEvent } from "./hook-event.ts";
import { seedParts } from "./seed-parts.ts";
import { answer, type ClaudeHookAnswer } from "./tool-hooks.ts";

/** Read by the model that summarises. */
const BE_BRIEF = `Everything of this conversation is recorded, and right after your summary the session is given a computed account of it: files as they are now, open failures, decisions, what the user said, and handles to every message. Do not repeat any of that. Write an <analysis> of one sentence, and a <summary> of at most eight sentences: what the user wants now, what was just being done, and the next step. No code, no file contents, no list of files.`;

/** The user's way to find what left. */
const SEARCH = "weft grep WORDS";

interface PendingSeal {
	readonly session: string;
	/** The newest event before the compaction. */
	readonly newest: number;
	/** The user compacts, not the program. */
	readonly isAsked: boolean;
	/** Resolves to undefined if the proxy gave the seed. */
	offered?: Promise<SeedInParts | undefined> | undefined;
	readonly make: () => Promise<SeedInParts | undefined>;
}

interface SeedInParts {
	readonly seal: PlannedSeal;
	readonly parts: readonly string[];
}

export interface SealHooksOptions {
	/** True: weft's proxy should answer with the seed. It is computed here only if the proxy did not. */
	readonly isProxied: boolean;
	/** Shows a notice to the user. */
	readonly tell: (notice: string) => void;
	readonly onFault: (where: string, error: unknown) => void;
}

export class SealHooks {
	readonly #isProxied: boolean;
	readonly #tell: SealHooksOptions["tell"];
	readonly #onFault: SealHooksOptions["onFault"];
	#pending: PendingSeal | undefined;

	constructor({ isProxied, tell, onFault }: SealHooksOptions) {
		this.#isProxied = isProxied;
		this.#tell = tell;
		this.#onFault = onFault;
	}

	/**
	 * Returns instructions for the summary as plain text; "" leaves the compaction as it is. `catchUp` reads new lines: the
	 * newest results may reach the transcript a moment after the hook.
	 */
	async before(
		engine: Engine,
		session: LiveSession,
		event: ClaudeHookEvent,
		catchUp: () => Promise<void>,
	): Promise<string> {
		this.#pending = undefined;
		await session.beforeCompaction();
		if (session.sealMode === "off" || engine.log.readOnly) return "";
		const { ref } = session;
		const leaf = await closedLeaf(engine, ref, this.#isProxied ? undefined : catchUp);
		const isAsked = event.trigger === "manual";
		const make = async (): Promise<SeedInParts | undefined> => {
			const seal = await session.seal({
				leaf,
				force: true,
				anySize: true,
				why: isAsked ? "asked" : "host-threshold",
				words: event.words,
			});
			return !seal || seal.seed.text.trim() === "" ? undefined : { seal, parts: seedParts(seal.seed.text) };
		};
		const made = this.#isProxied ? undefined : await make();
		if (!this.#isProxied && !made) return "";
		const newest = engine.log.newestSeq();
		this.#pending = { session: ref.session, newest, isAsked, make: async () => made ?? make() };
		return this.#isProxied ? "" : BE_BRIEF;
	}

	/** The first part that a hook asks for records the seal. */
	async after(engine: Engine, session: LiveSession, event: ClaudeHookEvent): Promise<ClaudeHookAnswer> {
		const pending = this.#pending;
		const { ref } = session;
		if (!pending || pending.session !== ref.session) return undefined;
		pending.offered ??= this.#offer(engine, session, pending);
		const offered = await pending.offered;
		const part = offered?.parts[event.part - 1];
		return part === undefined ? undefined : answer("SessionStart", { additionalContext: part });
	}

	async #offer(
		engine: Engine,
		session: LiveSession,
		{ newest, isAsked, make }: PendingSeal,
	): Promise<SeedInParts | undefined> {
		const { ref } = session;
		const byProxy = findSeedOffer(engine, ref, newest);
		if (byProxy) {
			const { seal } = byProxy;
			// The request that the proxy answered does not say who compacts.
			const told = seal && isAsked ? { ...seal, decision: askedFor(seal.decision) } : seal;
			if (told) this.#tell(session.sealNotice(told, SEARCH));
			return undefined;
		}
		const offered = await make();
		session.afterCompaction();
		// Only the account: the model sees the program's own compaction, with the seed next to it.
		try {
			if (!offered) return undefined;
			engine.record([
				{ type: "Seal", ...ref, payload: sealAccount(offered.seal, session.sealMode) },
				{ type: "Given", ...ref, payload: { text: offered.parts.join("\n") } },
			]);
			this.#tell(session.sealNotice(offered.seal, SEARCH));
		} catch (error) {
			// The summary is brief, so the model needs the seed even if the account cannot be recorded.
			this.#onFault("seal", error);
		}
		return offered;
	}
}

const MAX_LOOKS = 10;
const LOOK_MS = 50;
const MAX_STEPS_BACK = 50;

/**
 * The newest entry at which every call has its result. The program compacts between calls, so at most the last calls are
 * open. With `catchUp` it waits for their results.
 */
async function closedLeaf(
	engine: Engine,
	ref: SessionRef,
	catchUp: (() => Promise<void>) | undefined,
): Promise<number | undefined> {
	const { requests, history } = engine;
	const isOpen = (leaf?: number) => requests.moment({ ...ref, leaf }).path.isOpen;
	for (let look = 0; catchUp && look < MAX_LOOKS && isOpen(); look++) {
		await pause(LOOK_MS);
		await catchUp();
	}
	history.tree.catchUp();
	let leaf = history.tree.tip(ref);
	for (let step = 0; step < MAX_STEPS_BACK && leaf !== undefined && isOpen(leaf); step++)
		leaf = history.tree.get(leaf)?.parent ?? undefined;
	return leaf;
}
