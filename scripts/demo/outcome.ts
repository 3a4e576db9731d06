/** The outcome of the demonstration: the save, the rule and the byte that were kept, and the requests as a chart. */
import { readFileSync } from "node:fs";
import { plural } from "../../src/base/text/bytes.ts";
import { estimateTokens } from "../../src/base/tokens/estimate.ts";
import { type ChartColumn, renderChart } from "./chart.ts";
import { RULE } from "./model.ts";
import type { Performance } from "./perform.ts";
import type { Notice } from "./watch.ts";

export function describeOutcome(performance: Performance): string[] {
	const { notices, answer, requests } = performance;
	const of = (kind: Notice["kind"]) => notices.filter((notice) => notice.kind === kind);
	const list = (kind: Notice["kind"]) => of(kind).map(({ text, seq }) => `  #${seq} ${text}`);
	const sealed = requests.slice(requests.findIndex((request) => request.sealed));
	return [
		"1. A save is not overwritten. A colleague saved the file that the agent was about to edit:",
		...list("guard"),
		"",
		`2. A rule survives. The prompt was sealed ${plural(of("seal").length, "time")}:`,
		...list("seal"),
		`  "${RULE}" was in ${sealed.filter(({ hasRule }) => hasRule).length} of the ${sealed.length} prompts that followed.`,
		"",
		"3. Every byte comes back. At the end the agent fetched what had left first:",
		`  ${answer.split("\n").at(-1)}`,
		...(of("fault").length > 0 ? ["", "Failures of weft:", ...list("fault")] : []),
		"",
		"Tokens per request:",
		...renderChart(columnsOf(performance)),
	];
}

function columnsOf({ requests, sessionFile }: Performance): ChartColumn[] {
	const fixed = requests[0]?.tokens ?? 0;
	const said = sessionFile === undefined ? [] : saidBefore(sessionFile);
	return requests.map(({ tokens, sealed }, at) => ({
		sent: tokens,
		sealed,
		whole: Math.max(tokens, fixed + (said[at] ?? 0)),
	}));
}

/** Tokens of all messages before each answer, less those before the first: that much every request has anyway. */
function saidBefore(sessionFile: string): number[] {
	const totals: number[] = [];
	let tokens = 0;
	for (const line of readFileSync(sessionFile, "utf8").trimEnd().split("\n")) {
		const entry = JSON.parse(line) as { type: string; message?: { role: string; content: unknown } };
		if (entry.type !== "message" || !entry.message || entry.message.role === "system") continue;
		if (entry.message.role === "assistant") totals.push(tokens);
		tokens += estimateTokens(JSON.stringify(entry.message.content));
	}
	return totals.map((total) => total - (totals[0] ?? 0));
}
