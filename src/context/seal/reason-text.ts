/** Why something was sealed, for a person. */
import type { SealReason } from "./rule.ts";

const WORDS: Partial<Readonly<Record<SealReason, string>>> = {
	asked: "as you asked",
	"host-threshold": "the host's own limit is reached",
	overflow: "the request was too large",
	"cold-cache": "the cache is cold",
	ceiling: "the context is at its limit",
	regret: "keeping more costs more",
	run: "a run began",
};

export function saySealed(why: string): string {
	return WORDS[why as SealReason] ?? why;
}

/** `sealed: ceiling`, as a request's reasons have it. */
export function sayReason(reason: string): string {
	const [, what, why] = /^(\w+): ([\w-]+)$/.exec(reason) ?? [];
	return what === undefined || why === undefined ? reason : `${what} (${saySealed(why)})`;
}
