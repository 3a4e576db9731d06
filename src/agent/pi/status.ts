/**
 * The line at the foot of Pi's screen, and the notes above its editor when the guard has spoken or a seal was made. Renewed
 * after each turn; costs what is new since the last one. Only for people: without a screen or an rpc client nothing is
 * computed.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";
import { SessionSavings } from "../../context/session-savings.ts";
import { renderStatusLine, viewLive } from "../../view/live-status.ts";
import { COMMAND_RAN } from "./commands/register.ts";
import type { LivePi } from "./live.ts";

const KEY = "weft";
const GUARD_KEY = "weft-guard";
const SEAL_KEY = "weft-seal";
const MAX_BLOCKS = 3;
const MAX_CHARS = 120;

/**
 * Returns what renews it: when a session starts, which is over when this is registered, and when a turn ends. For each
 * handler of `turn_end` Pi makes a copy of the whole session, so there is but one, in `register.ts`.
 */
export function registerStatus(pi: ExtensionAPI, live: () => LivePi | undefined): (ctx: ExtensionContext) => void {
	let shown: Shown | undefined;
	const follow = (): void => {
		const now = live();
		if (shown?.live !== now || shown?.session !== now?.session.session) shown = now && new Shown(now);
	};
	const renew = (_event: unknown, ctx: ExtensionContext): void => {
		if (!ctx.hasUI) return;
		try {
			follow();
			shown?.renew(ctx);
		} catch {
			// The line only tells what others know: where it cannot be made, the old one stays.
		}
	};
	// A session that runs already: whatever the guard says from now on is news.
	follow();
	// Pi has the message before this one by now. In `lossless` the line only counts, so it is renewed after each.
	pi.on("message_start", (event, ctx) => {
		if (live()?.mode() === "lossless") renew(event, ctx);
	});
	pi.on("agent_settled", renew);
	pi.on("session_compact", renew);
	pi.on("session_tree", renew);
	pi.on("model_select", renew);
	pi.events.on(COMMAND_RAN, (ctx) => renew(undefined, ctx as ExtensionContext));
	// The person has seen the notes of the last run.
	pi.on("agent_start", (_event, ctx) => {
		if (ctx.hasUI) shown?.forgetNotes(ctx);
	});
	pi.on("session_shutdown", () => {
		shown = undefined;
	});
	return (ctx) => renew(undefined, ctx);
}

class Shown {
	readonly live: LivePi;
	/** A fork may change it under a live session. */
	readonly session: string;
	readonly #savings: SessionSavings;
	/** Verdicts up to here have been shown, or are old. */
	#verdict: number;
	#blocks: string[] = [];
	/** The seal that is told above the editor. */
	#seal: string | undefined;

	constructor(live: LivePi) {
		this.live = live;
		this.session = live.session.session;
		const { log, history } = live.engine;
		this.#savings = new SessionSavings(log, history.tree, live.session, (model) => live.pricesOf(model));
		this.#verdict = live.engine.log.newestSeq();
	}

	renew(ctx: ExtensionContext): void {
		const isCounting = this.live.mode() === "lossless";
		const dollars = isCounting
			? 0
			: this.#savings.dollars(this.live.leaf(), ctx.model?.contextWindow ?? Number.POSITIVE_INFINITY);
		const { engine, session } = this.live;
		const status = viewLive({ engine, session, mode: this.live.mode(), lastRequest: this.live.lastRequest() });
		ctx.ui.setStatus(KEY, renderStatusLine(status, { dollars, isAssumed: this.#savings.isAssumed, now: Date.now() }));
		this.#tellSeal(ctx);
		const fresh = this.live.engine
			.state()
			.state.verdicts.recent.filter(
				({ seq, session, verdict }) => seq > this.#verdict && session === this.session && verdict === "block",
			);
		if (fresh.length === 0) return;
		this.#verdict = fresh.at(-1)!.seq;
		this.#blocks = [...this.#blocks, ...fresh.map(blockLine)].slice(-MAX_BLOCKS);
		ctx.ui.setWidget(GUARD_KEY, this.#blocks);
	}

	/** A notice passes by with the next one: what left the context stays readable until the next run. */
	#tellSeal(ctx: ExtensionContext): void {
		const { sealNotice } = this.live;
		if (sealNotice === undefined || sealNotice === this.#seal) return;
		this.#seal = sealNotice;
		ctx.ui.setWidget(SEAL_KEY, [`weft ${sealNotice}`]);
	}

	forgetNotes(ctx: ExtensionContext): void {
		if (this.#blocks.length > 0) ctx.ui.setWidget(GUARD_KEY, undefined);
		if (this.#seal !== undefined) ctx.ui.setWidget(SEAL_KEY, undefined);
		this.#blocks = [];
		this.#seal = undefined;
		this.live.sealNotice = undefined;
	}
}

function blockLine({ tool, path, reason }: { tool: string; path: string | null; reason: string }): string {
	return cutWithEllipsis(oneLine(`weft blocked ${tool}${path === null ? "" : ` ${path}`}: ${reason}`), MAX_CHARS);
}
