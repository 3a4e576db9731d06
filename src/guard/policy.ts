/**
 * Rules that do not depend on a file's content. Which tool first: exact search before semantic search, a patch before
 * fast-apply. Counted per request of the user: one exact search, or one attempted patch, allows the rest. How much at
 * once: a read above the limit is cut.
 */

import { asInteger } from "../base/json/read.ts";
import { parseCommand } from "../base/shell/parse.ts";
import { unwrap } from "../base/shell/unwrap.ts";
import { countByteLines, isBinary } from "../base/text/lines.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import { emptyRecent, getKey, getRecent, putRecent, type Recent, setKey } from "../log/fold/keyed.ts";
import type { StateFold } from "../log/fold/state-fold.ts";
import { sessionKey } from "../log/session-ref.ts";
import { pathOf } from "../state/session/file-change.ts";
import { commandText } from "../state/session/shell-command.ts";
import type { ToolClass } from "../state/session/tool-class.ts";
import { classOf, isPatchEdit, locateNamed } from "./call.ts";
import { type FilePort, type GuardCall, type GuardSettings, type Outcome, PASS } from "./types.ts";
import { type Judging, object, warn } from "./verdict.ts";

export interface OrderState {
	sessions: Recent<{
		/** seq of the request. */
		intent: number;
		/** How often each tool has run since, by name; the settings decide the classes. */
		tools: Record<string, number>;
		/** The newest calls, by id: the tool that ran, or null for a refused call whose message is still to come. */
		calls: Recent<string | null>;
		/** A shell command since has searched files for a text. */
		searched: boolean;
	}>;
}

const MAX_SESSIONS = 32;
const MAX_TOOLS = 100;
const MAX_CALLS = 200;

export const orderFold: StateFold<OrderState> = {
	name: "guard-order",
	version: 2,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (isA(record, "UserIntent")) {
			putRecent(state.sessions, sessionKey(record), freshSession(record.seq), MAX_SESSIONS);
		} else if (isA(record, "ToolCalled")) {
			noteCall(sessionOf(state, record), record.payload.tool.toLowerCase(), record.payload.callId);
		} else if (isA(record, "Verdict") && record.payload.verdict === "block" && record.payload.mode === "enforce") {
			noteRefusal(sessionOf(state, record), record.payload.callId);
		} else if (isA(record, "CommandRun") && record.payload.by === "agent") {
			const session = sessionOf(state, record);
			session.searched ||= searches(record.payload.command);
		}
	},
};

type OrderSession = OrderState["sessions"]["items"][string];

function noteCall(session: OrderSession, tool: string, callId: string): void {
	if (getRecent(session.calls, callId) !== undefined) return;
	putRecent(session.calls, callId, tool, MAX_CALLS);
	const count = getKey(session.tools, tool);
	if (count !== undefined || Object.keys(session.tools).length < MAX_TOOLS)
		setKey(session.tools, tool, (count ?? 0) + 1);
}

/** A refused call was not tried. Its message may reach the log before the refusal or after it. */
function noteRefusal(session: OrderSession, callId: string): void {
	const tool = getRecent(session.calls, callId);
	putRecent(session.calls, callId, null, MAX_CALLS);
	const count = typeof tool === "string" ? getKey(session.tools, tool) : undefined;
	if (typeof tool === "string" && count !== undefined) setKey(session.tools, tool, count - 1);
}

function freshSession(intent: number): OrderSession {
	return { intent, tools: {}, calls: emptyRecent(), searched: false };
}

/** `called`: tools called in this request that the log may not know yet; agents hand over messages late. */
export function checkOrder(
	call: GuardCall,
	world: Judging & { readonly state: { readonly order: OrderState }; readonly settings: GuardSettings },
	called: () => readonly GuardCall[] = () => [],
): Outcome {
	const { settings } = world;
	const of = classOf(call, settings);
	if (of === "semantic-search" && settings.enforceDiscoveryOrder) {
		const searched = getRecent(world.state.order.sessions, sessionKey(call))?.searched ?? false;
		const exact = searched || called().some(({ input }) => searches(commandText(input) ?? ""));
		if (!exact && !used(call, world, called(), (other) => other === "exact-search")) {
			return object(call, SEARCH_FIRST(call.tool), world);
		}
	}
	if (of === "fast-apply" && settings.enforceEditOrder && !used(call, world, called(), isPatchEdit)) {
		return object(call, EDIT_FIRST(call.tool), world);
	}
	return PASS;
}

/** A tool of such a class was called in this request. */
function used(
	call: GuardCall,
	world: { readonly state: { readonly order: OrderState }; readonly settings: GuardSettings },
	called: readonly GuardCall[],
	isSuch: (of: ToolClass) => boolean,
): boolean {
	const tools = getRecent(world.state.order.sessions, sessionKey(call))?.tools ?? {};
	const ran = Object.keys(tools).filter((tool) => (tools[tool] ?? 0) > 0);
	const all = [...ran, ...called.map(({ tool }) => tool)];
	return all.some((tool) => isSuch(classOf({ tool }, world.settings)));
}

const SEARCH_FIRST = (tool: string) =>
	({
		rule: "discovery-order",
		reason: `Search for exact text first (grep, rg or ast-grep, as a tool or in the shell). If that does not find it, call ${tool} again.`,
	}) as const;

const EDIT_FIRST = (tool: string) =>
	({
		rule: "edit-order",
		reason: `Try an edit that replaces exact text first. If that cannot make the change, call ${tool} again.`,
	}) as const;

const SEARCH_PROGRAMS = new Set(["grep", "egrep", "fgrep", "rg", "ripgrep", "ag", "ack", "ast-grep", "sg"]);

/** True when a shell line searches files for text; `… | grep x` only filters another command's output. */
export function searches(command: string): boolean {
	if (!/grep|\b(?:rg|ag|ack|sg)\b/.test(command)) return false;
	return parseCommand(command).commands.some(({ words, joint }) => {
		const [program = "", verb] = unwrap(words).words;
		return joint !== "|" && (SEARCH_PROGRAMS.has(program) || (program === "git" && verb === "grep"));
	});
}

function sessionOf(state: OrderState, record: EventRecord) {
	const known = getRecent(state.sessions, sessionKey(record));
	if (known) return known;
	const fresh = freshSession(0);
	putRecent(state.sessions, sessionKey(record), fresh, MAX_SESSIONS);
	return fresh;
}

/** How far the agent lets us change a call before it runs, and what its tools do by themselves. */
export interface HostPowers {
	readonly canChangeInput: boolean;
	/** The agent's edit tool gives all lines of a file the same line end. */
	readonly unifiesLineEnds?: boolean | undefined;
	/** A process for each hook: the log must say what the one before a call saw. */
	readonly forgetsCalls?: boolean | undefined;
}

/** Shown as pictures or in parts of their own, so lines mean nothing. */
const NOT_BY_LINES = /\.(?:png|jpe?g|gif|webp|bmp|svgz|pdf|ipynb)$/i;

/** Where the agent lets us change a call, the read is cut and a note says how to read on; else it is blocked. */
export function checkReadSize(
	call: GuardCall,
	world: Judging & { readonly files: FilePort; readonly settings: GuardSettings },
	{ canChangeInput }: HostPowers,
): Outcome {
	const { settings, files, now } = world;
	const least = settings.maxReadLines;
	if (least <= 0 || classOf(call, settings) !== "read") return PASS;
	const path = pathOf(call.input);
	if (path === undefined || NOT_BY_LINES.test(path)) return PASS;
	const asked = asInteger(call.input["limit"]);
	if (asked !== undefined && asked <= least) return PASS;
	const target = locateNamed(path, call);
	const long = findLongText(target.absolute, files, least);
	const from = Math.max(1, asInteger(call.input["offset"]) ?? 1);
	if (!long) return PASS;
	const { lines, bytes } = long;
	const most = Math.max(least, bytes ? countLinesWithin(bytes, from, call.findRoom?.() ?? 0) : 0);
	if (Math.min(asked ?? lines, lines - from + 1) <= most) return PASS;

	const input = { ...call.input, offset: from, limit: most };
	const next = from + most;
	const count = Number.isFinite(lines) ? `${lines} lines` : "very many lines";
	const why = most === least ? "maxReadLines" : "the room in the context";
	const whole = `${target.path} has ${count}, and one read shows at most ${most} (${why}).`;
	if (!canChangeInput) {
		const reason = `${whole} Call ${call.tool} with ${JSON.stringify(input)}; then go on with "offset": ${next}.`;
		return object(call, { rule: "read-size", reason, target }, world);
	}
	const reason = `${whole} This read shows lines ${from}–${next - 1}; to read on, call ${call.tool} with ${JSON.stringify({ ...input, offset: next })}.`;
	const said = warn(call, { rule: "read-size", reason, target }, settings.policyMode, now);
	return said.action === "pass" && settings.policyMode === "enforce" ? { ...said, input } : said;
}

/** Agents write a number before each line. */
const NUMBER_BYTES = 8;

/** How many lines from this one on, with their numbers, are within so many bytes. */
function countLinesWithin(text: Buffer, from: number, most: number): number {
	let at = 0;
	for (let line = 1; line < from && at >= 0; line++) at = text.indexOf(10, at) + 1 || -1;
	let [count, free] = [0, most];
	while (at >= 0 && at < text.length) {
		const next = text.indexOf(10, at) + 1 || text.length;
		free -= next - at + NUMBER_BYTES;
		if (free < 0) break;
		count++;
		at = next;
	}
	return count;
}

/** Undefined: the file is not text, or has fewer lines. Without `bytes`: it is too large to be read. */
function findLongText(
	absolute: string,
	files: FilePort,
	most: number,
): { readonly lines: number; readonly bytes?: Buffer } | undefined {
	const look = files.stat(absolute);
	if (look.kind !== "file" || look.stat.size <= most) return undefined;
	// The digest is cached, and the read that follows needs it too.
	const digest = files.digest(absolute);
	if (digest.kind === "too-large") return { lines: Number.POSITIVE_INFINITY };
	if (digest.kind !== "digest" || digest.lines <= most) return undefined;
	const content = files.read(absolute);
	if (content.kind !== "bytes" || isBinary(content.bytes)) return undefined;
	return { lines: countByteLines(content.bytes), bytes: content.bytes };
}
