/**
 * Bounds what an agent sends, without the agent: what left the epoch is taken out of the request, and the seed stands after the
 * first message of the user. When to seal and what the seed says, the planner decides; where the cut is, is read from the log at each
 * request, so it stays where it is until the next seal. Where the request does not fit what the log knows, it is not cut.
 */
import { firstKept } from "../../context/patch/apply/epoch.ts";
import type { RequestInput } from "../../context/requests.ts";
import type { Engine } from "../../engine.ts";
import type { JsonObject } from "../../json/read.ts";
import type { NamedSpoken } from "./conversation.ts";
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

/** Undefined: it goes out as it came. */
export async function cutRequest(engine: Engine, input: RequestInput, whole: Whole): Promise<Cut | undefined> {
	const { settings, requests } = engine;
	if (settings.mode === "off") return undefined;
	// `warp` computes a context for each run, and nobody tells here where one begins.
	const asked = { ...input, mode: settings.mode === "warp" ? "woven" : settings.mode } as const;
	const seal = await requests.seal({ ...asked, decide: true });
	if (seal) requests.commit({ session: input.session, host: input.host }, seal, input.leaf, asked.mode);
	const { opening } = requests.moment(asked).path;
	const kept = opening && firstKept(opening.op);
	if (!opening || kept === null || kept === undefined) return undefined;
	const cut = cutAt(whole, kept, opening.text);
	return cut && { ...cut, isNew: seal !== undefined, reason: opening.op.invalidateCacheReason ?? "sealed" };
}

function cutAt({ talk, body, named }: Whole, kept: string, seed: string): Pick<Cut, "body" | "named"> | undefined {
	const at = named.findIndex(({ entry }) => entry === kept);
	const [first] = named;
	// A call and its result are never parted, and the first message carries the seed.
	if (at < 1 || first?.speaker !== "user" || named[at]?.speaker === "result") return undefined;
	const opened = { ...first, items: first.items.map((item) => talk.withText(item, seed)) };
	const sent = [opened, ...named.slice(at)];
	const items = sent.flatMap((each) => each.items);
	const before = talk.spoken(body).slice(0, -named.length);
	return { named: sent, body: { ...body, [talk.field]: [...before.flatMap((each) => each.items), ...items] } };
}
