/** A session without weft: its newest request as the agent sent it, and what its compactions have taken out. */
import { partitionPoint } from "../base/collection/sorted.ts";
import { windowOfModel } from "../base/tokens/model-windows.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { isMessage } from "../state/session/tree.ts";
import { compactionsOf, type LeftNode, type NowItem, type NowView, type TakenLook } from "./now-page.ts";
import type { RequestRow, SessionRequests } from "./requests.ts";
import { fitTo, hostShare, itemsOf, MessageLines, type SentAgain, sendAgain } from "./sent-request.ts";

/** True: the agent sent its own history in every request. */
export function isHostsOwn(rows: readonly RequestRow[]): boolean {
	return rows.length > 0 && rows.every(({ mode }) => mode === null);
}

/** The window of the model that answered last. A guess too where no usage shows how much of it the agent takes. */
export function windowOfRows(rows: readonly RequestRow[]): ReturnType<typeof windowOfModel> {
	const model = rows.findLast((row) => row.model !== null)?.model;
	const largest = rows.reduce((most, row) => (row.model === model ? Math.max(most, row.tokens) : most), 0);
	const { tokens, isAssumed } = windowOfModel(model, largest);
	return { tokens, isAssumed: isAssumed || rows.every(({ reported }) => reported === null) };
}

interface HostNowOptions {
	readonly now: number;
	/** By default the model's own. */
	readonly window?: number | undefined;
}

/** `requests` has at least one row. */
export function viewHostNow(
	engine: Engine,
	requests: SessionRequests,
	session: SessionRef,
	{ now, window }: HostNowOptions,
): TakenLook {
	const rows = requests.rows();
	const row = rows.at(-1);
	if (!row) throw new RangeError("The session has no request.");
	const sent = sendAgain(engine, session, row);
	const { head, scale, tokens: whole, isReported } = hostShare(engine, requests, session, row, sent);
	const all = hostItems(sent, rows, { head, scale, root: engine.project.root, agent: session.host });
	// The agent's own part is the same in every view.
	const items = fitTo(whole, all, ({ group }) => group === "system");
	const lifetime = requests.cacheLifetime();
	const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
	const known = windowOfRows(rows);
	const size = window ?? known.tokens;
	const view: NowView = {
		...session,
		seq: row.seq,
		mode: "off",
		model: row.model,
		requests: rows.length,
		live: false,
		as: "host",
		readAgain: null,
		window: size,
		isWindowAssumed: window === undefined && known.isAssumed,
		ceiling: size,
		tokens,
		isReported,
		items: markCached(items, row),
		leftOut: leftByHost(engine, sent),
		next: null,
		cache: { warm: now - row.ts <= lifetime, lastAt: row.ts, lifetime },
		decision: null,
		compactions: compactionsOf(rows),
		opening: sent.path.opening ? { by: "host", reason: null } : null,
	};
	return { view, text: (id) => (id === "opening" ? sent.path.opening?.text : sent.messages.get(id)?.text) };
}

const NOTHING = { tool: null, handle: null, preview: "", left: 0, cached: false } as const;

function hostItems(
	sent: SentAgain,
	rows: readonly RequestRow[],
	{
		head,
		scale,
		root,
		agent,
	}: { readonly head: number; readonly scale: number; readonly root: string; readonly agent: string },
): NowItem[] {
	const { envelope, messages, path } = sent;
	const weights = new Map(itemsOf(sent).map(({ id, tokens }) => [id, tokens]));
	const firstWith = (seq: number) => Math.min(rows.length, 1 + partitionPoint(rows, (row) => row.seq <= seq));
	const lines = new MessageLines(envelope, { root, agent });
	const spoken = [...envelope.messages.cached, ...envelope.messages.uncached].map((message): NowItem => {
		const known = messages.get(message.id);
		const tokens = Math.round((weights.get(message.id) ?? 0) * scale);
		const { role, tool, preview } = lines.line(message);
		if (!known && path.opening) {
			const why = "the agent's summary of all before it";
			const since = firstWith(path.opening.place);
			return { ...NOTHING, id: "opening", group: "seed", name: "The agent's summary", tokens, why, since, preview };
		}
		const since = known ? firstWith(known.seq) : null;
		const why = known && path.opening && known.seq < path.opening.place ? "kept by the agent's compaction" : "";
		return {
			...NOTHING,
			id: message.id,
			group: "tail",
			name: role,
			tool,
			handle: known?.handle ?? null,
			tokens,
			why,
			since,
			preview,
		};
	});
	const why = "the part of the recorded prompt that is not messages";
	const own: NowItem = {
		...NOTHING,
		id: "system",
		group: "system",
		name: "System prompt and tools",
		tokens: head,
		why,
		since: 1,
	};
	return head > 0 ? [own, ...spoken] : spoken;
}

/** As far as the provider read from its cache, if it said so. */
function markCached(items: readonly NowItem[], { reported }: RequestRow): NowItem[] {
	let before = 0;
	return items.map((item) => {
		before += item.tokens;
		return { ...item, cached: reported && before <= reported.read };
	});
}

/** The messages before the first that is still sent, by the compaction that took them out. Sizes are of their text. */
function leftByHost({ log, history: { tree } }: Engine, { path }: SentAgain): NowView["leftOut"] {
	const nodes: LeftNode[] = [];
	let node: { seq: number; messages: number; tokens: number; first: number; last: number } | undefined;
	const close = () => {
		if (!node || node.messages === 0) return;
		const { seq, messages, tokens, first, last } = node;
		const [from, to] = [log.handleAt(first) ?? null, log.handleAt(last) ?? null];
		const id = log.handleAt(seq) ?? "";
		nodes.push({ id, first: from, last: to, topic: "in the agent's summary", messages, tokens, told: 0 });
	};
	if (path.opening) {
		const kept = path.messages[0]?.seq ?? Number.POSITIVE_INFINITY;
		node = { seq: path.opening.place, messages: 0, tokens: 0, first: 0, last: 0 };
		for (const entry of tree.upward(path.opening.place)) {
			const isCompaction = entry.kind === "compaction" || entry.role === "compactionSummary";
			if (isCompaction && node.messages > 0) {
				close();
				node = { seq: entry.seq, messages: 0, tokens: 0, first: 0, last: 0 };
			}
			if (isCompaction || !isMessage(entry) || entry.seq >= kept) continue;
			node.messages++;
			node.tokens += entry.tokens;
			node.first = entry.seq;
			node.last ||= entry.seq;
		}
		close();
	}
	nodes.reverse();
	return {
		messages: nodes.reduce((sum, { messages }) => sum + messages, 0),
		tokens: nodes.reduce((sum, { tokens }) => sum + tokens, 0),
		nodes,
	};
}
