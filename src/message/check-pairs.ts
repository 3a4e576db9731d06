/** Every call has its result right behind it, every result its call right before it, and every id is used once. */

import type { FormatName } from "./form/format.ts";
import type { Placed, Violation } from "./validity.ts";

export function checkPairs(views: readonly Placed[], format: FormatName): Violation[] {
	const violations: Violation[] = [];
	const used = new Set<string>();
	const answered = new Set<string>();
	/** Calls of the newest assistant message that wait: id to index. */
	const open = new Map<string, number>();
	const closeOpen = (): void => {
		for (const [id, at] of open) {
			violations.push({ rule: "call-without-result", at, message: `The call '${id}' has no result right behind it.` });
		}
		open.clear();
	};
	let before: Placed | undefined;
	for (const view of views) {
		// Anthropic joins assistant messages that follow each other; elsewhere each is a turn of its own.
		const joined = format === "anthropic" && view.role === "assistant" && before?.role === "assistant";
		for (const result of view.results) {
			const { callId } = result;
			if (open.delete(callId)) answered.add(callId);
			else if (answered.has(callId)) {
				violations.push({
					rule: "duplicate-result",
					at: view.at,
					message: `The call '${callId}' has a second result.`,
				});
			} else {
				const message = `The result of '${callId}' does not stand right behind its call.`;
				violations.push({ rule: "result-without-call", at: view.at, message });
			}
		}
		if (view.lateResult) {
			violations.push({ rule: "result-not-first", at: view.at, message: "Results must stand before other blocks." });
		}
		if (view.results.length === 0 && !joined) closeOpen();
		for (const { id, tool } of view.calls) {
			if (id === "")
				violations.push({ rule: "call-without-id", at: view.at, message: `A call of '${tool}' has no id.` });
			else if (used.has(id)) {
				violations.push({ rule: "duplicate-call-id", at: view.at, message: `The call id '${id}' is used twice.` });
			}
			used.add(id);
			answered.delete(id);
			open.set(id, view.at);
		}
		before = view;
	}
	closeOpen();
	return violations;
}
