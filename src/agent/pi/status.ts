/**
 * The status line at the foot of Pi's screen, and the notes above its editor about blocked calls and seals. Updated after each
 * turn, at the cost of what is new. Computed only for a screen or an rpc client.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";
import { CACHE_TTL_MS } from "../../base/tokens/prices.ts";
import { cacheLifetime } from "../../context/cache/reported-fold.ts";
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
 * Returns the function that updates the status, for the start of a session and the end of a turn. Pi copies the whole session
 * for each handler of `turn_end`, so `register.ts` has the only one.
 */
export function registerStatus(pi: ExtensionAPI, live: () => LivePi | undefined): (ctx: ExtensionContext) => void {
	let shown: SessionStatus | undefined;
	let goneCold: NodeJS.Timeout | undefined;
	const follow = (): void => {
		const now = live();
		if (shown?.live !== now || shown?.session !== now?.session.session) shown = now && new SessionStatus(now);
	};
	const renew = (_event: unknown, ctx: ExtensionContext): void => {
		if (!ctx.hasUI) return;
		try {
			follow();
			shown?.renew(ctx);
		} catch {
			// The status is not essential: the old one stays.
		}
	};
	// The session is running already: only verdicts from now on are news.
	follow();
	// By now Pi has the message before. In `lossless` the line only counts messages, so each updates it.
	pi.on("message_start", (event, ctx) => {
		if (live()?.mode() === "lossless") renew(event, ctx);
	});
	pi.on("agent_settled", (event, ctx) => {
		renew(event, ctx);
		// Once the provider has dropped the context, the line says what the next request writes again.
		clearTimeout(goneCold);
		goneCold = setTimeout(() => renew(event, ctx), (shown?.cacheLifetime ?? CACHE_TTL_MS) + 1_000);
		goneCold.unref();
	});
	pi.on("session_compact", renew);
	pi.on("session_tree", renew);
	pi.on("model_select", renew);
	pi.events.on(COMMAND_RAN, (ctx) => renew(undefined, ctx as ExtensionContext));
	// The user has seen the notes of the last run.
	pi.on("agent_start", (_event, ctx) => {
		clearTimeout(goneCold);
		if (ctx.hasUI) shown?.forgetNotes(ctx);
	});
	pi.on("session_shutdown", () => {
		clearTimeout(goneCold);
		shown = undefined;
	});
	return (ctx) => renew(undefined, ctx);
}

class SessionStatus {
	readonly live: LivePi;
	/** The id; a fork changes it while the session runs. */
	readonly session: string;
	readonly #savings: SessionSavings;
	/** seq of the newest verdict that is shown, or that was there at the start. */
	#verdict: number;
	#blocks: string[] = [];
	/** The seal notice above the editor. */
	#seal: LivePi["sealNotice"];

	constructor(live: LivePi) {
		this.live = live;
		this.session = live.session.session;
		const { log, history } = live.engine;
		this.#savings = new SessionSavings(log, history.tree, live.session, (model) => live.pricesOf(model));
		this.#verdict = live.engine.log.newestSeq();
	}

	get cacheLifetime(): number {
		return cacheLifetime(this.live.engine.stateFor(this.live.session).state.reported, this.live.session.host);
	}

	renew(ctx: ExtensionContext): void {
		const isCounting = this.live.mode() === "lossless";
		const dollars = isCounting
			? 0
			: this.#savings.dollars(this.live.leaf(), ctx.model?.contextWindow ?? Number.POSITIVE_INFINITY);
		const { engine, session } = this.live;
		// During a run, each request keeps the cache warm.
		const rewrite = ctx.isIdle() ? this.live.loop.forecastRewrite(this.live.input()) : undefined;
		const status = viewLive({ engine, session, mode: this.live.mode(), lastRequest: this.live.lastRequest(), rewrite });
		ctx.ui.setStatus(KEY, renderStatusLine(status, { dollars, isAssumed: this.#savings.isAssumed, now: Date.now() }));
		this.#showSeal(ctx);
		const fresh = this.live.engine
			.stateFor(session)
			.state.verdicts.recent.filter(
				({ seq, session, verdict }) => seq > this.#verdict && session === this.session && verdict === "block",
			);
		const newest = fresh.at(-1);
		if (!newest) return;
		this.#verdict = newest.seq;
		this.#blocks = [...this.#blocks, ...fresh.map(blockLine)].slice(-MAX_BLOCKS);
		ctx.ui.setWidget(GUARD_KEY, this.#blocks);
	}

	/** The user's only word of a seal. Pi's next notice would replace a notice; a widget stays until the next run. */
	#showSeal(ctx: ExtensionContext): void {
		const { sealNotice } = this.live;
		if (sealNotice === undefined || sealNotice === this.#seal) return;
		this.#seal = sealNotice;
		ctx.ui.setWidget(SEAL_KEY, [`weft ${sealNotice.text}`]);
	}

	forgetNotes(ctx: ExtensionContext): void {
		if (this.#blocks.length > 0) ctx.ui.setWidget(GUARD_KEY, undefined);
		this.#blocks = [];
		// A seal that was made a moment ago, for this very run: its note stays for the run.
		if (this.live.sealNotice?.isBeforeInput) {
			this.#showSeal(ctx);
			this.#seal = { ...this.live.sealNotice, isBeforeInput: false };
			this.live.sealNotice = this.#seal;
			return;
		}
		if (this.#seal !== undefined) ctx.ui.setWidget(SEAL_KEY, undefined);
		this.#seal = undefined;
		this.live.sealNotice = undefined;
	}
}

function blockLine({ tool, path, reason }: { tool: string; path: string | null; reason: string }): string {
	return cutWithEllipsis(oneLine(`weft blocked ${tool}${path === null ? "" : ` ${path}`}: ${reason}`), MAX_CHARS);
}
