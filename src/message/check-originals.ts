/**
 * Compares a request with the host's own list: an assistant message is there whole or not at all, and the turn that is not
 * closed yet stands at the end as it was. A note may be added behind the text of a result or of the user.
 */
import type { Placed, Violation } from "./validity.ts";

export function checkOriginals(views: readonly Placed[], originals: readonly Placed[], trailing: number): Violation[] {
	const violations: Violation[] = [];
	const known = new Set(originals.filter(({ role }) => role === "assistant").map(said));
	for (const view of views) {
		if (view.role !== "assistant" || known.has(said(view))) continue;
		violations.push({
			rule: "assistant-changed",
			at: view.at,
			message: "An assistant message is not as the model wrote it.",
		});
	}
	const open = openTurn(originals);
	const end = views.slice(0, views.length - trailing).slice(-open.length);
	const same = end.length === open.length && open.every((original, at) => keeps(end[at]!, original));
	if (!same) {
		const at = end[0]?.at ?? 0;
		violations.push({ rule: "open-turn-changed", at, message: "The newest turn is not as the host has it." });
	}
	return violations;
}

/** What a model call is about to answer: the newest assistant message with its results, or what the user has just said. */
function openTurn(originals: readonly Placed[]): readonly Placed[] {
	const last = originals.at(-1);
	if (!last) return [];
	if (last.role !== "result") return [last];
	const start = originals.findLastIndex(({ role }) => role === "assistant");
	return originals.slice(Math.max(0, start));
}

function keeps(now: Placed, original: Placed): boolean {
	if (now.role !== original.role) return false;
	if (now.role === "assistant") return said(now) === said(original);
	const results = original.results.every((result) => {
		const same = now.results.find(({ callId }) => callId === result.callId);
		return same?.text.startsWith(result.text) ?? false;
	});
	const [text, wanted] = [now.texts.join("\n"), original.texts.join("\n")];
	return results && text.includes(wanted) && now.others >= original.others;
}

function said({ raw }: Placed): string {
	return JSON.stringify([raw["role"], raw["content"], raw["tool_calls"]]);
}
