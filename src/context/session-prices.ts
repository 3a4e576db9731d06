/**
 * The prices of models: the agents' own price lists as far as their answers show them, else the settings, else our
 * table. For views of one session and for replay; decisions use the same lists, folded over the whole log.
 */

import {
	type ListedPrices,
	listedBy,
	type PriceList,
	type Prices,
	pricesFromList,
	pricesOf,
} from "../base/tokens/prices.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { ReadQuery } from "../log/types.ts";
import { viewMessage } from "../message/view.ts";

/** Price lists seldom change: the newest messages of a session show them. */
const MAX_MESSAGES = 200;

export class SessionPrices {
	readonly #settings: PriceList;
	readonly #listed = new Map<string, { readonly seq: number; readonly prices: Partial<ListedPrices> }>();

	constructor(settings: PriceList = {}) {
		this.#settings = settings;
	}

	/** Takes an answer, in any order. The newest counts; older ones fill its gaps. */
	take({ seq, payload }: EventRecord): void {
		const { role, model, usage } = viewMessage(payload);
		if (role !== "assistant" || model === undefined || !usage?.costs) return;
		const [told, known] = [listedBy(usage), this.#listed.get(model)];
		const isNewer = seq > (known?.seq ?? 0);
		const prices = isNewer ? { ...known?.prices, ...told } : { ...told, ...known?.prices };
		this.#listed.set(model, { seq: Math.max(seq, known?.seq ?? 0), prices });
	}

	/** `at`: when a request was made, ms since the epoch. */
	of(model: string | undefined, at?: number): Prices {
		const listed = model === undefined ? undefined : this.#listed.get(model)?.prices;
		if (listed?.input === undefined) return pricesOf(model, { listed: this.#settings, at });
		return pricesFromList({ ...listed, input: listed.input }, pricesOf(model, { at }));
	}
}

export function pricesOfSession(
	log: { readonly read: (query: ReadQuery) => Iterable<EventRecord> },
	{ session, host }: SessionRef,
	settings?: PriceList,
): SessionPrices {
	const told = new SessionPrices(settings);
	const query = { session, host, types: ["Message"], order: "newest", limit: MAX_MESSAGES } as const;
	for (const record of log.read(query)) told.take(record);
	return told;
}
