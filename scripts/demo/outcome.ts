/** The outcome of the demonstration: guard verdicts, seals, and the requests as a chart. */
import { readFileSync } from "node:fs";
import { estimateTokens } from "../../src/base/tokens/estimate.ts";
import { type ChartColumn, renderChart } from "./chart.ts";
import type { Performance } from "./perform.ts";
import type { Notice } from "./watch.ts";

export function describeOutcome(performance: Performance): string[] {
	const { notices, answer } = performance;
	const of = (kind: Notice["kind"]) => notices.filter((notice) => notice.kind === kind);
	const list = (title: string, kind: Notice["kind"]) => [
		`${title}: ${of(kind).length}`,
		...of(kind).map(({ text, seq }) => `  #${seq} ${text}`),
	];
	return [
		...list("Guard verdicts", "guard"),
		...list("Seals", "seal"),
		...(of("fault").length > 0 ? list("Failures of weft", "fault") : []),
		`Recalled at the end: ${answer.split("\n").at(-1)}`,
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
