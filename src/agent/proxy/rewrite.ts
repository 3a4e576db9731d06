/**
 * Bounds what an agent sends, without the agent: what left the epoch is taken out of the request, and the seed stands after the
 * first message of the user. When to seal and what the seed says, the planner decides; where the cut is, is read from the log at each
 * request, so it stays where it is until the next seal. Where the request does not fit what the log knows, it is not cut.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import type { JsonObject } from "../../base/json/read.ts";
import { firstKept } from "../../context/patch/epoch-op.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { isPartOf, type NamedSpoken } from "./lines.ts";
import type { Talk } from "./talk/talk.ts";

export interface Cut {
	readonly body: JsonObject;
	/** The messages that are sent. */
	readonly named: readonly NamedSpoken[];
	/** True: the epoch begins with this request. */
	readonly isNew: boolean;
	readonly reason: string;
}

interface Whole {
	readonly talk: Talk;
	readonly body: JsonObject;
	readonly named: readonly NamedSpoken[];
}

const UNFIT =
	"A seal does not fit what the agent sends, so its requests are not cut. Begin a new session in the agent if it grows too long.";

/** Undefined: it goes out as it came. `onUnfit`: a seal cannot be applied to what the agent sends. It does not count then. */
export async function cutRequest(
	engine: Engine,
	input: RequestInput,
	whole: Whole,
	onUnfit: (error: Error) => void,
): Promise<Cut | undefined> {
	const { settings, requests } = engine;
	if (settings.mode === "off") return undefined;
	// `warp` computes a context for each run, and nobody tells here where one begins.
	const asked = { ...input, mode: settings.mode === "warp" ? "woven" : settings.mode } as const;
	const seal = await requests.seal({ ...asked, decide: true });
	const isFit = seal !== undefined && placeOf(whole, firstKept(seal.op)) !== undefined;
	if (isFit) requests.commit({ session: input.session, host: input.host }, seal, input.leaf, asked.mode);
	const { opening } = requests.moment(asked).path;
	const at = opening && placeOf(whole, firstKept(opening.op));
	if ((seal && !isFit) || (opening && at === undefined)) onUnfit(new EngineError("refused", UNFIT));
	if (!opening || at === undefined) return undefined;
	const cut = cutAt(whole, at, opening.text);
	return { ...cut, isNew: isFit, reason: opening.op.invalidateCacheReason ?? "sealed" };
}

/** A branch of a session goes on with the seals that were made before it parted. */
export function takeOverSeals({ log, history, record }: Engine, from: SessionRef, to: SessionRef): void {
	const { tree } = history;
	const events = [...log.read({ ...from, types: ["Transform"] })].flatMap(({ entry, cause, payload, ts }) => {
		const place = cause === null ? undefined : tree.get(cause)?.entry;
		const leaf = place === undefined ? undefined : tree.find(to, place);
		return leaf === undefined ? [] : [{ ...to, ts, type: "Transform", entry, cause: leaf, payload } as const];
	});
	record(events as readonly NewEvent[]);
}

/** Where the messages begin that stay: at the one that holds the entry, and a result never without its call. */
function placeOf({ named }: Whole, kept: string | null): number | undefined {
	let at = named.findIndex(({ entry }) => kept !== null && isPartOf(kept, entry));
	while (at > 0 && named[at]?.speaker === "result") at--;
	// The first message always stays: it carries the seed.
	return at > 1 && named[0]?.speaker === "user" ? at : undefined;
}

function cutAt({ talk, body, named }: Whole, at: number, seed: string): Pick<Cut, "body" | "named"> {
	const first = named[0]!;
	const opened = { ...first, items: first.items.map((item) => talk.withText(item, seed)) };
	const sent = [opened, ...named.slice(at)];
	const items = sent.flatMap((each) => each.items);
	const before = talk.spoken(body).slice(0, -named.length);
	return { named: sent, body: { ...body, [talk.field]: [...before.flatMap((each) => each.items), ...items] } };
}
