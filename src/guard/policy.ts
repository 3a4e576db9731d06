/**
 * Which tool first: exact search before search by meaning, a patch before fast-apply. Counted per request of the user;
 * one exact search, or one patch tried, opens the way for the rest of it.
 */
import { type EventRecord, isA } from "../event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../fold/keyed.ts";
import type { StateFold } from "../fold/state-fold.ts";
import { asText } from "../json/read.ts";
import type { ToolClass } from "../session/tool-class.ts";
import { parseCommand } from "../shell/parse.ts";
import { unwrap } from "../shell/unwrap.ts";
import { sessionKey } from "./file-record.ts";
import { classOf, isPatchEdit } from "./tool-class.ts";
import { type GuardCall, type GuardSettings, type Outcome, PASS } from "./types.ts";
import { type Judging, object } from "./verdict.ts";

export interface OrderState {
	sessions: Recent<{
		/** seq of the request. */
		intent: number;
		/** Tools called since, by name: what class they are is for the settings to say. */
		tools: string[];
		/** A shell command since has searched files for a text. */
		searched: boolean;
	}>;
}

const MOST_SESSIONS = 32;
const MOST_TOOLS = 100;

export const orderFold: StateFold<OrderState> = {
	name: "guard-order",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (isA(record, "UserIntent")) {
			const fresh = { intent: record.seq, tools: [], searched: false };
			putRecent(state.sessions, sessionKey(record), fresh, MOST_SESSIONS);
		} else if (isA(record, "ToolCalled")) {
			const session = sessionOf(state, record);
			const tool = record.payload.tool.toLowerCase();
			if (session.tools.length < MOST_TOOLS && !session.tools.includes(tool)) session.tools.push(tool);
		} else if (isA(record, "CommandRun") && record.payload.by === "agent") {
			const session = sessionOf(state, record);
			session.searched ||= searches(record.payload.command);
		}
	},
};

/** `called`: tools called in this request that the log may not know yet; hosts hand messages over late. */
export function checkOrder(
	call: GuardCall,
	world: Judging & { readonly state: { readonly order: OrderState }; readonly settings: GuardSettings },
	called: () => readonly GuardCall[] = () => [],
): Outcome {
	const { settings } = world;
	const of = classOf(call, settings);
	if (of === "semantic-search" && settings.enforceDiscoveryOrder) {
		const searched = getRecent(world.state.order.sessions, sessionKey(call))?.searched ?? false;
		const exact = searched || called().some(({ input }) => searches(asText(input["command"]) ?? ""));
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
	const tools = getRecent(world.state.order.sessions, sessionKey(call))?.tools ?? [];
	const all = [...tools, ...called.map(({ tool }) => tool)];
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

/** True when a shell line looks for text in files; `… | grep x` only sifts what another command says. */
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
	const fresh = { intent: 0, tools: [], searched: false };
	putRecent(state.sessions, sessionKey(record), fresh, MOST_SESSIONS);
	return fresh as NonNullable<typeof known>;
}
