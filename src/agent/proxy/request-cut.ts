/**
 * Bounds the requests of an agent without its help: removes the messages that left the epoch, and puts the seed after the first message
 * of the user. The planner decides when to seal and what the seed says. The place of the cut is read from the log at each request, so it
 * stays the same until the next seal. A request that does not fit the log is not cut.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { asName, type JsonObject } from "../../base/json/read.ts";
import { leaveOutThinking } from "../../context/bound-thinking.ts";
import { firstKept } from "../../context/patch/epoch-op.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Dialect } from "../../message/dialect/dialect.ts";
import { withoutThinking } from "../../message/thinking.ts";
import { readThinkingSwitch } from "../../message/thinking-rules.ts";
import type { NamedMessage } from "./wire-line.ts";
import { isPartOf, messageName } from "./wire-lines.ts";

export interface CutRequest {
	readonly body: JsonObject;
	/** The messages that are sent. */
	readonly named: readonly NamedMessage[];
	/** True: the epoch begins with this request. */
	readonly isNew: boolean;
	readonly reason: string;
}

/** A request as the agent sent it. */
interface WholeRequest {
	readonly dialect: Dialect;
	readonly body: JsonObject;
	readonly named: readonly NamedMessage[];
}

const UNFIT =
	"A seal does not fit what the agent sends, so its requests are not cut. Begin a new session in the agent if it grows too long.";

/** Undefined: the request goes out as it came. `onUnfit`: a seal does not fit the agent's messages, so it does not count. */
export async function cutRequest(
	engine: Engine,
	input: RequestInput,
	whole: WholeRequest,
	onUnfit: (error: Error) => void,
): Promise<CutRequest | undefined> {
	const { settings, requests } = engine;
	if (settings.mode === "off") return undefined;
	// `warp` computes a context for each run, and a request does not say where a run begins.
	const asked = { ...input, mode: settings.mode === "warp" ? "woven" : settings.mode } as const;
	const seal = await requests.seal({ ...asked, decide: true });
	const isFit = seal !== undefined && indexOfKept(whole, firstKept(seal.op)) !== undefined;
	if (isFit) requests.commit({ session: input.session, host: input.host }, seal, input.leaf, asked.mode);
	const { opening } = requests.moment(asked).path;
	const at = opening && indexOfKept(whole, firstKept(opening.op));
	if ((seal && !isFit) || (opening && at === undefined)) onUnfit(new EngineError("refused", UNFIT));
	if (!opening || at === undefined) return undefined;
	const cut = cutAt(bindThinking(engine, asked, whole), at, opening.text);
	return { ...cut, isNew: isFit, reason: opening.op.invalidateCacheReason ?? "sealed" };
}

/** The request without the thinking that the model wrote before its prefix was cut. */
function bindThinking(engine: Engine, asked: RequestInput, whole: WholeRequest): WholeRequest {
	const { dialect, body, named } = whole;
	if (dialect.api !== "anthropic-messages") return whole;
	const model = asName(body["model"]);
	const input = { ...asked, model, api: dialect.api, thinking: readThinkingSwitch(body), decide: false };
	const facts = engine.requests.thinking(input, engine.plan(input));
	const displaced = new Set([...facts.displaced].map(messageName));
	const messages = named.flatMap(({ entry, items }) => items.map((item) => ({ role: "", ...item, id: entry })));
	const { leftOut } = leaveOutThinking(messages, { rule: facts.rule, form: "anthropic", displaced });
	if (leftOut.length === 0) return whole;
	const kept = named.map((each) =>
		leftOut.includes(each.entry) ? { ...each, items: each.items.map(withoutThinking) } : each,
	);
	return { dialect, body, named: kept };
}

/** Copies the seals from before a session forked into the fork. */
export function takeOverSeals({ log, history, record }: Engine, from: SessionRef, to: SessionRef): void {
	const { tree } = history;
	const events = [...log.read({ ...from, types: ["Transform"] })].flatMap(({ entry, cause, payload, ts }) => {
		const place = cause === null ? undefined : tree.get(cause)?.entry;
		const leaf = place === undefined ? undefined : tree.find(to, place);
		return leaf === undefined ? [] : [{ ...to, ts, type: "Transform", entry, cause: leaf, payload } as const];
	});
	record(events as readonly NewEvent[]);
}

/** The index of the first message that stays: the one that holds the entry, or the call before it if that is a result. */
function indexOfKept({ named }: WholeRequest, kept: string | null): number | undefined {
	let at = named.findIndex(({ entry }) => kept !== null && isPartOf(kept, entry));
	while (at > 0 && named[at]?.speaker === "result") at--;
	// The first message always stays: it carries the seed.
	return at > 1 && named[0]?.speaker === "user" ? at : undefined;
}

function cutAt({ dialect, body, named }: WholeRequest, at: number, seed: string): Pick<CutRequest, "body" | "named"> {
	const opened = named.slice(0, 1).map((first) => {
		return { ...first, items: first.items.map((item) => dialect.appendText(item, seed)) };
	});
	const sent = [...opened, ...named.slice(at)];
	const before = dialect.readMessages(body).slice(0, -named.length);
	const items = [...before, ...sent].flatMap((each) => each.items);
	return { named: sent, body: { ...body, [dialect.field]: items } };
}
