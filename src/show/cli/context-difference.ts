/** How a request differs from the previous one: which messages came and went, and where the cached prefix breaks. */

import { formatCount, plural } from "../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";
import { type Difference, firstDifference } from "../../context/envelope/difference.ts";
import type { RequestAt } from "../../context/request-at.ts";
import { messageParts } from "../../view/envelope.ts";

export interface DifferentMessage {
	readonly id: string;
	readonly role: string;
	readonly tokens: number;
	readonly gist: string;
}

export interface RequestDifference {
	/** The newest event that the previous request knew; null: this is the first request. */
	readonly before: number | null;
	/** How many messages at the beginning are byte-identical. */
	readonly kept: number;
	readonly removed: readonly DifferentMessage[];
	readonly added: readonly DifferentMessage[];
	/** The first byte that differs; null: the request only extends the previous one. */
	readonly first: Difference | null;
	readonly reason: string | null;
}

const GIST_CHARS = 100;

export function differenceOf(before: RequestAt | undefined, now: RequestAt): RequestDifference {
	const [then, present] = [listOf(before), listOf(now)];
	const changed = then.findIndex(({ key }, at) => key !== present[at]?.key);
	const kept = changed === -1 ? then.length : changed;
	const first = before ? firstDifference(before.segments, now.segments) : null;
	return {
		before: before?.seq ?? null,
		kept,
		removed: then.slice(kept).map(({ shown }) => shown),
		added: present.slice(kept).map(({ shown }) => shown),
		first,
		reason: first ? (now.reason ?? "what opens the request is another text") : null,
	};
}

export function* differenceLines({
	before,
	kept,
	removed,
	added,
	first,
	reason,
}: RequestDifference): Generator<string> {
	yield before === null ? "There was no request before." : `The request before knew the log up to #${before}.`;
	yield kept === 0 ? "No message is the same." : `The same at the beginning: ${plural(kept, "message")}.`;
	for (const message of removed) yield `- ${lineOf(message)}`;
	for (const message of added) yield `+ ${lineOf(message)}`;
	yield first
		? `Differs from byte ${formatCount(first.byte)} on, in the ${first.segment}: ${plural(first.tokens, "token")} sent before must be written again (${reason}).`
		: "Nothing that was sent before changes.";
}

function lineOf({ id, role, tokens, gist }: DifferentMessage): string {
	return `${oneLine(id)} ${role}, ${formatCount(tokens)} tokens: ${gist}`;
}

function listOf(look: RequestAt | undefined): { readonly key: string; readonly shown: DifferentMessage }[] {
	if (!look) return [];
	const { cached, uncached } = look.envelope.messages;
	const items = new Map(look.segments.flatMap((segment) => segment.items.map((item) => [item.id, item])));
	return [...cached, ...uncached].map((message) => {
		const item = items.get(message.id);
		const text = messageParts(message)
			.map((part) => `${part.name} ${cutWithEllipsis(part.text, GIST_CHARS * 4)}`.trim())
			.join(" · ");
		const gist = cutWithEllipsis(oneLine(text), GIST_CHARS);
		return {
			key: `${message.id} ${item?.hash}`,
			shown: { id: message.id, role: message.role, tokens: item?.tokens ?? 0, gist },
		};
	});
}
