/** Searches messages, tool results and summaries. Every hit names its message and the summary that covers it. */

import { EngineError } from "../base/error/engine-error.ts";
import { writeJson } from "../base/json/write.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { formatMinute, parseTime, shortAge } from "../base/text/time.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { Hit, SearchFilters, SessionFilter } from "../log/search/types.ts";
import { enclose, nameInLine, wordsInLine } from "../message/enclosure.ts";
import { viewMessage } from "../message/view.ts";
import { NODE_ROLE } from "../state/history/searchable.ts";
import { messagePart, shorten } from "../state/history/source-text.ts";
import type { Node } from "../state/history/types.ts";
import { rankInLog } from "../state/memory/recall/evidence.ts";
import { findSession, listSessions } from "../state/session/find-session.ts";
import { searchable } from "../state/session/searchable.ts";
import type { SessionState } from "../state/session/session-state.ts";
import {
	DEFAULT_GREP_RESULTS,
	GREP_MODES,
	GREP_SCOPES,
	numberArgument,
	refusal,
	type ToolAnswer,
	type ToolContext,
	type ToolRunner,
	textArgument,
	unknownArguments,
	wordArgument,
} from "./types.ts";

const MAX_RESULTS = 100;
const MAX_QUERY_CHARS = 1_000;
/** Limit of an answer with whole messages. */
const FULL_TOKENS = 8_000;
/** Pages of hits to search for the requested scope. */
const MAX_ROUNDS = 10;
/** Extra hits that have only some of the words. */
const MAX_SOME = 8;

/** A session with fewer messages is searched together with the rest of the project. */
const MIN_OWN_MESSAGES = 20;
const TITLE_CHARS = 60;
const ARGUMENTS = ["query", "mode", "scope", "limit", "after", "before", "full", "session", "next"] as const;

export const lcmGrep: ToolRunner = {
	async run(context, args) {
		const unknown = unknownArguments(args, ARGUMENTS);
		if (unknown) return unknown;
		const query = textArgument(args["query"]);
		if (query.trim() === "") return refusal("bad-query", "The query is empty. Say what to search for.");
		if (query.length > MAX_QUERY_CHARS) {
			return refusal("bad-query", `The query has ${query.length} characters; at most ${MAX_QUERY_CHARS} are allowed.`);
		}
		try {
			context.history.catchUp();
			const search = wordArgument(args["mode"], GREP_MODES, "text") === "regex" ? searchRegex : searchText;
			const ask: GrepQuery = {
				query,
				filters: filtersOf(context, args),
				scope: wordArgument(args["scope"], GREP_SCOPES, "all"),
				limit: numberArgument(args["limit"], DEFAULT_GREP_RESULTS, 1, MAX_RESULTS),
				next: args["next"] === undefined ? undefined : numberArgument(args["next"], 0, 0, Number.MAX_SAFE_INTEGER),
			};
			const found = await search(context, ask);
			const full = args["full"] === true;
			// This session alone has nothing: the rest of the project may.
			if (found.hits.length > 0 || args["session"] !== undefined || ask.filters.session === undefined) {
				return report(context, ask, found, { full });
			}
			const wider = { ...ask, filters: { ...ask.filters, ...projectFilters(context) }, isWidened: true };
			const elsewhere = await search(context, wider);
			return report(context, wider, elsewhere, { full });
		} catch (error) {
			if (error instanceof EngineError) return refusal(error.code, error.message);
			throw error;
		}
	},
};

interface GrepQuery {
	readonly query: string;
	readonly filters: SearchFilters;
	readonly scope: (typeof GREP_SCOPES)[number];
	readonly limit: number;
	readonly next?: number | undefined;
	/** True: the call named no session, and the whole project is searched. */
	readonly isWidened?: boolean | undefined;
}

interface GrepPage {
	readonly hits: readonly Hit[];
	readonly scanned: number;
	readonly total: number;
	readonly behind: number;
	readonly complete: boolean;
	readonly next?: number | undefined;
	/** Hits from this one on hold only some of the words. */
	readonly someFrom?: number | undefined;
}

function filtersOf(context: ToolContext, args: Readonly<Record<string, unknown>>): SearchFilters {
	const { history, session, scope, now } = context;
	const asked = textArgument(args["session"]);
	const [after, before] = [textArgument(args["after"]), textArgument(args["before"])];
	const sessions =
		asked !== ""
			? { within: scope.searched, session: namedSession(history.log, asked, scope.searched) }
			: isYoung(context)
				? projectFilters(context)
				: { within: scope.searched, session: session.session };
	return {
		...sessions,
		since: after === "" ? undefined : parseTime(after, now),
		until: before === "" ? undefined : parseTime(before, now),
	};
}

/** All sessions whose words may reach the model unasked: after a reset those before it must be asked for. */
function projectFilters({ scope }: ToolContext): Pick<SearchFilters, "within" | "session"> {
	return { within: scope.recalled, session: undefined };
}

function isYoung({ history, session }: ToolContext): boolean {
	return history.stats(session).messages < MIN_OWN_MESSAGES;
}

/** undefined: all sessions. */
function namedSession(log: Log, asked: string, within: SessionFilter): string | undefined {
	if (asked === "all") return undefined;
	try {
		return findSession(log, asked, within).session;
	} catch (error) {
		if (!(error instanceof EngineError) || error.code !== "not-found") throw error;
		const says = `There is no session '${asked.slice(0, 80)}' in this project. "session": "all" searches all of them.`;
		throw new EngineError("not-found", says);
	}
}

function inScope({ scope }: GrepQuery, hit: Hit): boolean {
	return scope === "all" || (scope === "summaries") === (hit.role === NODE_ROLE);
}

async function searchText({ history }: ToolContext, ask: GrepQuery): Promise<GrepPage> {
	const hits: Hit[] = [];
	const filters = ask.scope === "summaries" ? { ...ask.filters, role: NODE_ROLE } : ask.filters;
	let offset = ask.next ?? 0;
	for (let round = 0; ; round++) {
		const found = history.log.search.find({ ...filters, text: ask.query, limit: ask.limit, offset });
		for (const [at, hit] of found.hits.entries()) {
			if (inScope(ask, hit)) hits.push(hit);
			if (hits.length === ask.limit) {
				const more = at + 1 < found.hits.length || found.next !== undefined;
				return { ...found, total: found.scanned, hits, next: more ? offset + at + 1 : undefined };
			}
		}
		if (found.next === undefined || round === MAX_ROUNDS) {
			const all = { ...found, total: found.scanned, hits, next: found.next };
			return found.next === undefined && ask.next === undefined ? withSome(history, ask, filters, all) : all;
		}
		offset = found.next;
	}
}

/** Where few messages have all words, adds those with some of them, ranked as recall ranks. */
function withSome({ log }: ToolContext["history"], ask: GrepQuery, filters: SearchFilters, answer: GrepPage): GrepPage {
	const { hits } = answer;
	const known = new Set(hits.map(({ seq }) => seq));
	const some = rankInLog(log, ask.query, filters, ask.limit)
		.filter((hit) => !known.has(hit.seq) && inScope(ask, hit))
		.slice(0, Math.min(MAX_SOME, ask.limit - hits.length));
	return some.length === 0 ? answer : { ...answer, hits: [...hits, ...some], someFrom: hits.length };
}

async function searchRegex({ history, signal }: ToolContext, ask: GrepQuery): Promise<GrepPage> {
	const hits: Hit[] = [];
	const filters = ask.scope === "summaries" ? { ...ask.filters, role: NODE_ROLE } : ask.filters;
	const end = performance.now() + REGEX_DEADLINE_MS;
	let beforeSeq = ask.next;
	let scanned = 0;
	for (;;) {
		const found = await history.log.search.findRegex({
			...filters,
			pattern: ask.query,
			limit: ask.limit - hits.length,
			deadlineMs: Math.max(0, end - performance.now()),
			beforeSeq,
			signal,
		});
		hits.push(...found.hits.filter((hit) => inScope(ask, hit)));
		const total = scanned + found.total;
		scanned += found.scanned;
		const done = found.complete || hits.length >= ask.limit || performance.now() > end;
		if (done) return { ...found, hits, scanned, total, next: found.next };
		beforeSeq = found.next;
	}
}

const REGEX_DEADLINE_MS = 5_000;

function report(
	context: ToolContext,
	ask: GrepQuery,
	answer: GrepPage,
	{ full }: { readonly full: boolean },
): ToolAnswer {
	const { hits } = answer;
	const found = hits.map((hit) => ({ hit, place: placeOf(context, hit) }));
	const sessions = sessionsOf(context, hits);
	const places = found.map(({ place }) => place);
	const details = { resultCount: hits.length, scanned: answer.scanned, total: answer.total, complete: answer.complete };
	if (hits.length === 0) {
		const text = [`No results for "${ask.query}": ${searched(answer)}.`, ...remarks(answer, ask), hint(ask)].join("\n");
		return { text, details };
	}
	const room = Math.floor(FULL_TOKENS / hits.length);
	const entries = found.map(({ hit, place }, at) => {
		const line = `[${at + 1}] ${heading(context, hit, place, sessions.get(hit.session))}`;
		const whole = full ? fullText(context, hit, room) : undefined;
		if (whole === undefined) return `${line}\n  ${nameInLine(hit.snippet)}`;
		// The message may hold lines like ours.
		const { until, end } = enclose(whole, place.handle);
		return `${line}${until === "" ? "" : `, ${until}`}\n${whole}${end}`;
	});
	const whole = answer.someFrom ?? hits.length;
	const head =
		whole === 0 ? `No text holds all words of "${ask.query}".` : `Found ${plural(whole, "result")} for "${ask.query}":`;
	const some = whole < hits.length ? ["With most or some of the words, the likeliest first:"] : [];
	const text = [
		...(ask.isWidened ? [`This session has nothing for "${ask.query}". In the whole project:`] : []),
		head,
		...entries.slice(0, whole),
		...some,
		...entries.slice(whole),
		[...remarks(answer, ask), expandHint(places)].join("\n"),
	].join("\n\n");
	return { text, details: { ...details, hits: places.map(({ handle }) => handle), next: answer.next ?? null } };
}

interface HitPlace {
	readonly handle: string;
	readonly covering: Node | undefined;
}

function placeOf({ history }: ToolContext, hit: Hit): HitPlace {
	const node = hit.role === NODE_ROLE ? history.nodeAt(hit.seq) : undefined;
	if (node) return { handle: node.id, covering: node };
	// Every hit is in the log, so it has a handle.
	const handle = history.log.handleAt(hit.seq) ?? "";
	return { handle, covering: handle.startsWith("m-") ? history.covering(hit.seq) : undefined };
}

/** For the headings of hits in other sessions. */
function sessionsOf({ history, session }: ToolContext, hits: readonly Hit[]): ReadonlyMap<string, SessionState> {
	if (hits.every((hit) => hit.session === session.session)) return new Map();
	return new Map(listSessions(history.log).map((row) => [row.session, row]));
}

function heading(
	{ session, now }: ToolContext,
	hit: Hit,
	{ handle, covering }: HitPlace,
	of: SessionState | undefined,
): string {
	const who = nameInLine(hit.tool === undefined ? hit.role : `${hit.role}/${hit.tool}`);
	const title = of?.title ? ` "${cutWithEllipsis(wordsInLine(of.title), TITLE_CHARS)}"` : "";
	const elsewhere =
		hit.session === session.session
			? ""
			: `, ${of ? `${of.host} ` : ""}session ${nameInLine(hit.session)}${title}, ${formatMinute(hit.ts)}`;
	const under = covering ? ` [summary: ${covering.id}, depth ${covering.depth}]` : "";
	return `${handle} (${who}, ${shortAge(hit.ts, now)}, seq ${hit.seq}${elsewhere})${under}`;
}

function fullText({ history }: ToolContext, hit: Hit, maxTokens: number): string {
	const record = history.log.get(hit.seq);
	if (!record) return `  ${hit.snippet}`;
	if (record.type === "Message") return shorten(messagePart(viewMessage(record.payload), handleOf(record)), maxTokens);
	// An entry's searchable text is what people read of it: the summary of a compaction, not its JSON.
	const text = record.payload["text"] ?? searchable(record)?.text ?? writeJson(record.payload);
	return shorten(String(text), maxTokens);
}

function* remarks({ complete, next, scanned, total, behind, hits }: GrepPage, ask: GrepQuery): Generator<string> {
	const session = ask.isWidened ? ' and "session": "all"' : "";
	if (next !== undefined && (complete || hits.length > 0))
		yield `There may be more. Go on with "next": ${next}${session}.`;
	else if (!complete) {
		const goOn = next === undefined ? "Narrow it by after and before." : `Go on with "next": ${next}${session}.`;
		yield `Only ${formatCount(scanned)} of ${formatCount(total)} were searched before time was up. ${goOn}`;
	}
	if (behind > 0) yield `${plural(behind, "event")} could not be indexed and searched.`;
}

function searched({ scanned, total }: GrepPage): string {
	const all = plural(total, "text");
	return scanned < total
		? `${formatCount(scanned)} of ${all} were searched`
		: `${all} ${total === 1 ? "was" : "were"} searched`;
}

function hint({ filters, scope, query, isWidened }: GrepQuery): string {
	if (isWidened) return "This session and the whole project were searched. Try other or fewer words.";
	if (filters.session !== undefined) return 'Other sessions of this project are searched with "session": "all".';
	return scope === "all" && query.includes(" ") ? "All words must occur: try fewer of them." : "Try another word.";
}

function expandHint(places: readonly HitPlace[]): string {
	const node = places.find(({ covering }) => covering)?.covering;
	return node
		? `Use lcm_expand("${node.id}") to see the full context around these messages.`
		: `Use lcm_expand("${places[0]?.handle}") to see it whole.`;
}
