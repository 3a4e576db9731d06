import { History } from "../../history/history.ts";
import { formatBytes, formatCount } from "../../text/bytes.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { coverageLine, type HistoryReport, historyReport } from "../../view/history.ts";
import { agentSessions, shortSession } from "../../view/session.ts";
import { readStats, type Stats } from "../../view/stats.ts";
import type { Context } from "../context.ts";

/** The freshest ones: a project may hold hundreds. */
const MOST_SESSIONS = 20;

export async function run(context: Context): Promise<void> {
	const engine = context.openExisting();
	try {
		const history = new History(engine.log);
		const sessions = agentSessions(engine.log).filter(({ messages }) => messages > 0);
		const histories = sessions.slice(0, MOST_SESSIONS).map((session) => historyReport(history, session));
		const stats = readStats(engine.log);
		if (context.out.json) return await context.out.document({ ...stats, history: histories });
		await context.out.lines(report(context, stats));
		await context.out.lines(historyLines(context, histories));
	} finally {
		engine.close();
	}
}

function* historyLines({ out }: Context, histories: readonly HistoryReport[]): Generator<string> {
	if (histories.length === 0) return;
	yield "";
	const columns = [{ title: "session" }, { title: "history" }] as const;
	const rows = histories.map((each) => [oneLine(shortSession(each.session)), coverageLine(each)]);
	yield* renderTable(columns, rows, { style: "ruled", paintHead: (text) => out.paint("dim", text) });
}

function* report({ out }: Context, stats: Stats): Generator<string> {
	const paintHead = (text: string): string => out.paint("dim", text);
	const bold = (cell: string): string => out.paint("bold", cell);
	const pairColumns = [
		{ title: "", paint: bold },
		{ title: "", align: "right" },
	] as const;
	const totals = [
		["events", formatCount(stats.events)],
		["sessions", formatCount(stats.sessions)],
		["messages", formatCount(stats.messages)],
		["tokens, about", formatCount(stats.tokens)],
	];
	yield* renderTable(pairColumns, totals, { style: "bare" });
	yield "";
	const columns = [{ title: "type" }, { title: "events", align: "right" }, { title: "JSON", align: "right" }] as const;
	const rows = stats.types.map((row) => [oneLine(row.type), formatCount(row.events), formatBytes(row.bytes)]);
	yield* renderTable(columns, rows, { style: "ruled", paintHead });
	yield "";
	const { disk } = stats;
	const parts = [
		["events and blobs", disk.log],
		["search index", disk.search],
		["other tables", disk.state],
		["write-ahead log", disk.wal],
		["archives", disk.archive],
		["other files", disk.other],
		["on disk", disk.total],
	] as const;
	yield* renderTable(
		pairColumns,
		parts.map(([name, bytes]) => [name, formatBytes(bytes)]),
		{ style: "bare" },
	);
	if (stats.bytesPerTranscriptByte === null) return;
	yield "";
	yield `${stats.bytesPerTranscriptByte.toFixed(2)} bytes on disk for each byte of transcript (${formatBytes(stats.transcriptBytes)})`;
}
