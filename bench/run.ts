/** Runs one benchmark by name and renders its ratios. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatBytes, formatCount } from "../src/base/text/bytes.ts";
import { renderTable } from "../src/base/text/table.ts";
import { renderReport } from "../src/replay/report-text.ts";
import { runAgentsBench } from "./agents.ts";
import { runAskBench } from "./ask.ts";
import type { BenchResult, BenchStyle } from "./bench-result.ts";
import { runChatBench } from "./chat/chat.ts";
import { runQuestionBench } from "./chat/questions.ts";
import { MessageSource } from "./corpus.ts";
import { feedbackResult, runFeedbackBench } from "./feedback.ts";
import { runFleetBench } from "./fleet.ts";
import { runGrepAllBench } from "./grep-all.ts";
import { runHistoryBench } from "./history.ts";
import { runImportBench } from "./import.ts";
import { runLoadBench } from "./load.ts";
import { runLogBench } from "./log.ts";
import { micros, type Ratio } from "./measure.ts";
import { runPiBench } from "./pi.ts";
import { proofResult, runProofBench } from "./proofs.ts";
import { runProxyBench } from "./proxy.ts";
import { publicResult, runPublicBench } from "./public.ts";
import { commitsResult, locomoResult, minedResult } from "./recall/result.ts";
import { measureSpeed } from "./recall/speed.ts";
import { runReplayBench } from "./replay.ts";
import { rewindResult, runRewindBench } from "./rewind.ts";
import { randomResult, runRandomBench } from "./rewind-random.ts";
import { runSessionBench } from "./session-among.ts";
import { runStateBench } from "./state.ts";

const MADE_UP_MESSAGES = 2_000;

export type BenchName =
	| "agents"
	| "ask"
	| "chat"
	| "feedback"
	| "fleet"
	| "grep"
	| "history"
	| "import"
	| "log"
	| "pi"
	| "proofs"
	| "proxy"
	| "public"
	| "recall"
	| "replay"
	| "rewind"
	| "session"
	| "state";

export interface BenchInput {
	/** For `log` and `session`: a recorded session to weigh or to import. For `feedback`, `proofs`, `public` and `rewind`: a folder of sessions. For `recall`: one to mine questions from. */
	readonly transcript: string | undefined;
	/** For `ask`: sessions with questions. For `recall`: conversations with questions, or commits with their sessions. */
	readonly data: string | undefined;
	/** For `public`: exams of the sessions. */
	readonly exams: string | undefined;
	/** For `public`: every nth session was kept aside. */
	readonly asideEvery: number | undefined;
	/** Events of the long log, requests of the long session, megabytes, or random commands. */
	readonly size: number | undefined;
	/** For `log`: many processes at once. */
	readonly load: boolean;
	/** For `import`: only this format. For `agents`: only this agent. */
	readonly agent: string | undefined;
	onProgress(what: string): void;
}

export async function runBench(
	name: BenchName,
	{ transcript, size, load, data, exams, asideEvery, agent, onProgress }: BenchInput,
): Promise<BenchResult> {
	switch (name) {
		case "agents":
			return ratioResult(await runAgentsBench({ rounds: size, only: agent, onProgress }));
		case "ask":
			return runAskBench(data ?? "", onProgress);
		case "chat":
			if (data !== undefined) return runQuestionBench({ file: data, every: size ?? 1, onProgress });
			return runChatBench({ turns: size, onProgress });
		case "feedback":
			return feedbackResult(await runFeedbackBench(transcript ?? "", onProgress));
		case "fleet":
			return ratioResult(await runFleetBench({ events: size, onProgress }));
		case "grep":
			return ratioResult(await runGrepAllBench({ onProgress }));
		case "history":
			return historyResult(await runHistoryBench({ onProgress }));
		case "import":
			return importResult(await runImportBench({ megabytes: size, only: agent, onProgress }));
		case "log":
			return load ? loadResult(await runLoadBench({ onProgress })) : logResult({ transcript, onProgress });
		case "pi":
			return ratioResult(await runPiBench({ events: size, onProgress }));
		case "proofs":
			return proofResult(await runProofBench(transcript ?? "", onProgress));
		case "proxy":
			return ratioResult(await runProxyBench({ requests: size, onProgress }));
		case "public":
			return publicResult(await runPublicBench({ folder: transcript ?? "", exams, asideEvery, onProgress }));
		case "recall":
			if (data?.endsWith(".jsonl")) return commitsResult(data, onProgress);
			if (data !== undefined) return locomoResult(data);
			return transcript === undefined ? ratioResult(measureSpeed()) : minedResult(transcript);
		case "replay":
			return replayResult(await runReplayBench({ requests: size, onProgress }));
		case "rewind":
			if (size !== undefined) return randomResult(runRandomBench(size, onProgress));
			return rewindResult(await runRewindBench(transcript ?? "", onProgress, data));
		case "session":
			return ratioResult(await runSessionBench({ transcript, onProgress }));
		case "state":
			return ratioResult(runStateBench({ events: size, onProgress }));
	}
}

interface Report {
	readonly ratios: readonly Ratio[];
}

function ratioResult(report: Report, after: () => Iterable<string> = () => []): BenchResult {
	return {
		report: { within: isWithin(report), ...report },
		*lines(style) {
			yield* ratioTable(report, style);
			yield* after();
		},
	};
}

function historyResult(report: Awaited<ReturnType<typeof runHistoryBench>>): BenchResult {
	return ratioResult(report, function* () {
		yield "";
		for (const { messages, nodes, uncovered } of report.sessions) {
			yield `${formatCount(messages)} messages: ${formatCount(nodes)} summaries, ${uncovered} of them uncovered`;
		}
	});
}

function importResult(report: Awaited<ReturnType<typeof runImportBench>>): BenchResult {
	return ratioResult(report, function* () {
		yield "";
		for (const { agent, megabytes, selectedMBPerSecond } of report.formats) {
			const select =
				selectedMBPerSecond === undefined ? "" : `; a SELECT alone: ${selectedMBPerSecond.toFixed(0)} MB/s`;
			yield `${agent}: ${megabytes.toFixed(0)} MB${select}`;
		}
	});
}

function loadResult(report: Awaited<ReturnType<typeof runLoadBench>>): BenchResult {
	return ratioResult(report, function* () {
		yield "";
		for (const [arm, { count, medianMs, worstMs, walBytes }] of Object.entries(report.appends)) {
			yield `${arm}: ${formatCount(count)} appends, median ${micros(medianMs)}, worst ${micros(worstMs)}, WAL up to ${formatBytes(walBytes)}`;
		}
	});
}

async function logResult({
	transcript,
	onProgress,
}: Pick<BenchInput, "transcript" | "onProgress">): Promise<BenchResult> {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	try {
		const report = await runLogBench({ transcript: transcript ?? writeMadeUpSession(folder), onProgress });
		const result = ratioResult(report, function* () {
			yield "";
			yield `Full text is indexed at ${report.indexedMBPerSecond.toFixed(1)} MB/s.`;
			yield "Searched for:";
			for (const [third, queries] of Object.entries(report.queries)) yield `  ${third}: ${queries.join(", ")}`;
		});
		const remark = "Bytes on disk are those of a made-up session; name a real one to weigh it.";
		return { ...result, remark: transcript === undefined ? remark : undefined };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function replayResult(report: Awaited<ReturnType<typeof runReplayBench>>): BenchResult {
	return {
		report: { within: isWithin(report), ...report },
		*lines(style) {
			yield* renderReport(report.replay, style);
			yield "";
			yield* ratioTable(report, style, "time to plan");
		},
	};
}

function isWithin({ ratios }: Report): boolean {
	return ratios.every(({ ratio, bound }) => ratio <= bound);
}

function ratioTable({ ratios }: Report, { dim }: BenchStyle, what = "what"): Iterable<string> {
	const columns = [
		{ title: "" },
		{ title: what },
		{ title: "ratio", align: "right" },
		{ title: "bound", align: "right" },
		{ title: "compared with" },
		{ title: "measured" },
	] as const;
	const rows = ratios.map(({ name, beside, ratio, bound, detail }) => [
		ratio <= bound ? "✓" : "✗",
		name,
		ratio.toFixed(3),
		bound.toFixed(2),
		beside,
		detail,
	]);
	return renderTable(columns, rows, { style: "ruled", paintHead: dim });
}

function writeMadeUpSession(folder: string): string {
	const source = new MessageSource(0);
	const header = { type: "session", version: 3, id: "made-up", timestamp: new Date(0).toISOString(), cwd: folder };
	const entries = Array.from({ length: MADE_UP_MESSAGES }, (_, n) => source.event(n).raw);
	const path = join(folder, "session.jsonl");
	writeFileSync(path, `${[JSON.stringify(header), ...entries].join("\n")}\n`);
	return path;
}
