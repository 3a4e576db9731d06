/** The next request as weft makes it: every item in prompt order with its size, reason and cache state, and what is left out. */

import { readPriceList } from "../base/tokens/price-file.ts";
import { costUnits, DEFAULT_WINDOW_TOKENS, dollarsOf } from "../base/tokens/prices.ts";
import { cacheLifetime, knownPrices } from "../context/cache/reported-fold.ts";
import type { ModeName } from "../context/moment.ts";
import type { OpeningRole } from "../context/plan.ts";
import { lookAt, type RequestAt } from "../context/request-at.ts";
import { readAgain } from "../context/seal/reread-fold.ts";
import type { SealDecision } from "../context/seal/rule.ts";
import { ceilingHere } from "../context/sizes.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { askedAgain } from "./cost.ts";
import { besideMessages, lookOptions, presentOf } from "./look-options.ts";
import type { HostCompaction, RequestRow, SessionRequests } from "./requests.ts";
import { MessageLines } from "./sent-request.ts";

export type Group = "tools" | "system" | "options" | "seed" | "tail" | "uncached";

export interface NowItem {
	readonly id: string;
	readonly group: Group;
	/** The name of a part, or who speaks. */
	readonly name: string;
	readonly tool: string | null;
	readonly handle: string | null;
	readonly tokens: number;
	readonly why: string;
	/** The newest request held it, and the provider should still have it. */
	/** null: nothing was reported of the request. */
	readonly cached: boolean | null;
	/** The first request that held it; null: none did, or it is not known. */
	readonly since: number | null;
	readonly preview: string;
	/** How many more of its kind did not fit. */
	readonly left: number;
}

export interface LeftNode {
	readonly id: string;
	readonly first: string | null;
	readonly last: string | null;
	readonly topic: string;
	readonly messages: number;
	readonly tokens: number;
	/** Tokens of the summary that covers them. */
	readonly told: number;
}

export interface NowView {
	readonly session: string;
	readonly host: string;
	readonly seq: number;
	readonly mode: ModeName;
	readonly model: string | null;
	/** Requests so far. */
	readonly requests: number;
	/** True: weft made the requests of this session; false: shown as if it had. */
	readonly live: boolean;
	/** host: the newest request as the agent itself sent it; weft: the next one as weft makes it, or would. */
	readonly as: "host" | "weft";
	readonly window: number;
	/** No list has the model's window, or weft would make the request and nothing says which it has. */
	readonly isWindowAssumed: boolean;
	/** The size at which a request is sealed; for the agent's own the window. */
	readonly ceiling: number;
	readonly tokens: number;
	/** True: the provider reported that sum, and sizes of items are their shares of it. False: all is estimated from the text. */
	readonly isReported: boolean;
	readonly items: readonly NowItem[];
	readonly leftOut: { readonly messages: number; readonly tokens: number; readonly nodes: readonly LeftNode[] };
	/** null: the agent's own request, which has been sent. */
	readonly next: {
		readonly read: number;
		readonly write: number;
		readonly dollars: number;
		readonly coldDollars: number;
		/** No list has the price of the model. */
		readonly assumed: boolean;
	} | null;
	readonly cache: { readonly warm: boolean; readonly lastAt: number | null; readonly lifetime: number };
	/** How near a seal is; null: weft did not run. */
	readonly decision: SealDecision | null;
	/** What was missed soon after seals, in words; null: nothing. */
	readonly readAgain: string | null;
	/** Where the agent replaced its history by a summary, oldest first. */
	readonly compactions: readonly (HostCompaction & { readonly n: number; readonly ts: number })[];
	/** The opening text; null: none. */
	readonly opening: { readonly by: string; readonly reason: string | null } | null;
}

export interface NowOptions {
	readonly now: number;
	readonly mode?: ModeName | undefined;
	readonly window?: number | undefined;
	/** How the session's agent shows the text that opens an epoch. */
	readonly openingRole?: OpeningRole | undefined;
	/** For a session that is walked from its beginning; what it throws ends the walk. */
	readonly onStep?: ((done: number, total: number) => void | Promise<void>) | undefined;
}

/** A look at the next request, with the texts of its items. */
export interface TakenLook {
	readonly view: NowView;
	/** The text of an item; undefined: not in this request, or the agent's own. */
	readonly text: (id: string) => string | undefined;
}

export async function viewNow(
	engine: Engine,
	requests: SessionRequests,
	session: SessionRef,
	{ now, mode, window: given, openingRole, onStep }: NowOptions,
): Promise<TakenLook> {
	const seq = engine.log.newestSeq();
	const window = given ?? DEFAULT_WINDOW_TOKENS;
	const options = lookOptions(engine, session, { mode, window, openingRole });
	const look = await lookAt(seq, { ...options, ...presentOf(engine, seq, now), onStep });
	const rows = requests.rows();
	const model = rows.findLast((row) => row.model !== null)?.model ?? null;
	const beside = besideMessages(engine, session, seq);
	const items = itemsOf(look, beside, requests, { root: engine.project.root, agent: session.host });
	const fixed = beside.reduce((sum, { tokens }) => sum + tokens, 0);
	const state = () => engine.state().state;
	const lifetime = cacheLifetime(state().reported, session.host);
	const lastAt = rows.at(-1)?.ts ?? null;
	const warm = lastAt !== null && now - lastAt <= lifetime;
	const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
	const listed = readPriceList(engine.settings.prices);
	const prices = knownPrices(state().reported, session.host, model ?? undefined, listed, now);
	const sized = { path: { session }, state, model: model ?? undefined, prices };
	const read = warm ? items.reduce((sum, item) => sum + (item.cached ? item.tokens : 0), 0) : 0;
	const price = (of: number) => dollarsOf(costUnits({ read: of, write: tokens - of }, prices), prices);
	const { opening } = look.plan;
	const missed = readAgain(state().rereads);
	const view: NowView = {
		...session,
		seq,
		mode: look.plan.mode,
		model,
		requests: rows.length,
		live: rows.some((row) => row.mode !== null),
		as: "weft",
		window,
		isWindowAssumed: given === undefined,
		ceiling: fixed + ceilingHere(sized, { ...options.settings, mode: look.plan.mode }),
		tokens,
		isReported: false,
		items: warm ? items : items.map((item) => ({ ...item, cached: false })),
		leftOut: leftOut(engine, session, look),
		next: { read, write: tokens - read, dollars: price(read), coldDollars: price(0), assumed: prices.assumed === true },
		cache: { warm, lastAt, lifetime },
		decision: look.plan.decision,
		readAgain: missed.tokens > 0 ? askedAgain(missed) : null,
		compactions: compactionsOf(rows),
		opening: opening ? { by: opening.by, reason: opening.op.invalidateCacheReason ?? null } : null,
	};
	return { view, text: (id) => textOf(look, id) };
}

/** Where the agent compacted, by the request after it. */
export function compactionsOf(rows: readonly RequestRow[]): NowView["compactions"] {
	return rows.flatMap(({ n, ts, compaction }) => (compaction ? [{ n, ts, ...compaction }] : []));
}

const NAMES: Readonly<Record<string, string>> = {
	tools: "System tools",
	system: "System prompt",
	options: "Options",
	"seed:header": "Repository, and the way back",
	"seed:standing": "Current State",
	"seed:next": "Next Steps",
	"seed:users": "What the user said, verbatim",
	"seed:plans": "Plan and todo list",
	"seed:decisions": "Decisions that hold",
	"seed:blocks": "What the guard refused",
	"seed:failures": "Open failures",
	"seed:resolved": "Resolved lately",
	"seed:commands": "Commands and their exits",
	"seed:remarks": "What the agent said last",
	"seed:files": "Files as they were at the seal (pieces)",
	"seed:paths": "Paths seen",
	"seed:ledger": "Files touched",
	"seed:history": "Earlier stretches, with handles",
	"seed:joints": "Joints between the parts",
};

/** The name that people read for a part of a seed. */
function partName(id: string): string {
	return NAMES[id] ?? (id === "opening" ? "In place of everything before it" : id.replace(/^seed:/, ""));
}

function itemsOf(
	look: RequestAt,
	beside: readonly { id: string; tokens: number; why: string }[],
	requests: SessionRequests,
	{ root, agent }: { readonly root: string; readonly agent: string },
): NowItem[] {
	const { plan, segments, envelope } = look;
	const sentBefore = requests.newestItems();
	const weights = new Map(segments.flatMap(({ items }) => items.map((item) => [item.id, item])));
	const messages = [...envelope.messages.cached, ...envelope.messages.uncached];
	const handles = new Map(plan.messages.map(({ id, handle }) => [id, handle]));
	const whys = new Map(plan.parts.map(({ id, why }) => [id, why]));
	const seedTokens = segments.find(({ name }) => name === "seed")?.tokens ?? 0;
	const isNew = (at: number) => messages.slice(0, at + 1).some(({ id }, index) => sentBefore[index] !== id);
	const uncached = new Set(envelope.messages.uncached.map(({ id }) => id));
	const hosts = beside.map(({ id, tokens, why }) => ({
		...NOTHING,
		id,
		group: id as Group,
		name: partName(id),
		tokens,
		why,
		cached: sentBefore.length > 0,
		since: 1,
	}));
	const lines = new MessageLines(envelope, { root, agent });
	const spoken = messages.flatMap((message, at): NowItem[] => {
		const { id } = message;
		const cached = !isNew(at);
		const since = requests.sentIn(id)?.first ?? null;
		if (message.seed) return seedItems(look, seedTokens, { cached, since });
		const { role, tool, preview } = lines.line(message);
		const group: Group = uncached.has(id) ? "uncached" : "tail";
		const why = whys.get(`message:${id}`) ?? (group === "uncached" ? "said for this request alone" : "");
		return [
			{
				id,
				group,
				name: role,
				tool,
				handle: handles.get(id) ?? null,
				tokens: weights.get(id)?.tokens ?? 0,
				why,
				cached,
				since,
				preview,
				left: 0,
			},
		];
	});
	return [...hosts, ...spoken];
}

const NOTHING = { tool: null, handle: null, preview: "", left: 0 } as const;

/** The parts of the opening. Headings and blank lines between them are one more part, so that the sum is right. */
function seedItems(
	{ plan }: RequestAt,
	tokens: number,
	{ cached, since }: Pick<NowItem, "cached" | "since">,
): NowItem[] {
	const parts = plan.parts.filter(({ id, included }) => included && !id.startsWith("message:"));
	const sections = (plan.opening?.sections ?? []).map(({ name }) => `seed:${name}`);
	const named = sections.length > 0 ? sectionParts(plan) : parts;
	const listed = named.reduce((sum, part) => sum + part.tokens, 0);
	const common = { ...NOTHING, group: "seed", cached, since } as const;
	const items = named.map(
		({ id, tokens, why, handle, left }): NowItem => ({
			...common,
			id,
			name: partName(id),
			handle: handle ?? null,
			tokens,
			why,
			left: left ?? 0,
		}),
	);
	if (items.length === 0)
		return [{ ...common, id: "opening", name: partName("opening"), tokens, why: "stands for what came before" }];
	const rest = tokens - listed;
	const joint = {
		...common,
		id: "seed:joints",
		name: partName("seed:joints"),
		tokens: rest,
		why: "headings and blank lines that belong to no part",
	};
	return rest === 0 ? items : [...items, joint];
}

/** The sections, whose tokens add up. A plan that seals now has finer parts, joined here by their section. */
function sectionParts({ opening, parts }: RequestAt["plan"]) {
	const whys = new Map(parts.map(({ id, why, left }) => [id, { why, left }]));
	return (opening?.sections ?? []).map(({ name, tokens, left, handle }) => {
		const id = `seed:${name}`;
		return { id, tokens, handle, left, why: whys.get(id)?.why ?? "rendered now, with the seal that is due" };
	});
}

function leftOut({ log, history }: Engine, session: SessionRef, { plan }: RequestAt): NowView["leftOut"] {
	const first = plan.messages[0]?.seq ?? Number.POSITIVE_INFINITY;
	const nodes = history.path(session).nodes.filter(({ last }) => last < first);
	const sum = (pick: (node: (typeof nodes)[number]) => number) => nodes.reduce((total, node) => total + pick(node), 0);
	return {
		messages: sum(({ messages }) => messages),
		tokens: sum(({ messageTokens }) => messageTokens),
		nodes: nodes.map(({ id, first, last, topic, messages, messageTokens, tokens }) => ({
			id,
			first: log.handleAt(first) ?? null,
			last: log.handleAt(last) ?? null,
			topic,
			messages,
			tokens: messageTokens,
			told: tokens,
		})),
	};
}

/** A seed's parts are in order, each from its heading to the next. */
function textOf({ plan, envelope }: RequestAt, id: string): string | undefined {
	const message = plan.messages.find((each) => each.id === id);
	if (message) return message.text;
	const extra = envelope.messages.uncached.find((each) => each.id === id);
	if (extra) return new MessageLines(envelope, { root: "", agent: "" }).line(extra).preview;
	const { opening } = plan;
	if (!opening) return undefined;
	const pieces = opening.text.split(/\n\n(?=## )/);
	const at = opening.sections.findIndex(({ name }) => `seed:${name}` === id);
	return at >= 0 && pieces.length === opening.sections.length ? pieces[at] : opening.text;
}
