/**
 * `npm run bench -- public FOLDER`: the README's tables for any folder of recorded sessions, as Markdown. Every figure comes
 * from the planner that live agents use; no model is asked.
 */
import { findSessionFiles } from "../src/agent/recorded/session-files.ts";
import { EngineError } from "../src/base/error/engine-error.ts";
import { formatCount, formatPercent, plural } from "../src/base/text/bytes.ts";
import { readExam } from "../src/replay/exam.ts";
import { openRecording } from "../src/replay/recording.ts";
import { type ReplayReport, replaySession } from "../src/replay/report.ts";
import { type ClassTotal, type ModeTotal, type ReplayTotals, totalsOf } from "../src/replay/totals.ts";
import type { BenchResult } from "./bench-result.ts";
import { measureSession } from "./recall/mined.ts";

export interface PublicBenchOptions {
	/** A folder with recorded sessions, of any agent and any depth. */
	readonly folder: string;
	/** A folder with NAME.json for a session NAME.jsonl. */
	readonly exams?: string | undefined;
	/** Every nth file, by name, was kept aside while weft was tuned on the others. */
	readonly asideEvery?: number | undefined;
	onProgress(what: string): void;
}

interface PublicReport {
	readonly sessions: number;
	readonly aside: number;
	readonly skipped: readonly { readonly file: string; readonly says: string }[];
	readonly all: ReplayTotals;
	readonly keptAside?: ReplayTotals | undefined;
	/** Share of terms that came back whose earlier message recall finds among its first ten, over all sessions. */
	readonly recall: { readonly questions: number; readonly at10: number };
}

export async function runPublicBench(options: PublicBenchOptions): Promise<PublicReport> {
	const skipped: { readonly file: string; readonly says: string }[] = [];
	const onOutside = (file: string) => skipped.push({ file, says: `${file} is a link out of the folder.` });
	const files = findSessionFiles(options.folder, undefined, onOutside)
		.filter((file) => !file.endsWith(".gz"))
		.sort();
	const reports: { readonly report: ReplayReport; readonly isAside: boolean }[] = [];
	const recall = { questions: 0, found: 0 };
	for (const [n, file] of files.entries()) {
		options.onProgress(`${n + 1} of ${files.length}: ${file.slice(options.folder.length + 1)}`);
		try {
			const isAside = options.asideEvery !== undefined && n % options.asideEvery === options.asideEvery - 1;
			reports.push({ report: await replay(file, options.exams), isAside });
			const mined = await measureSession(file).catch(ignoreShort);
			recall.questions += mined?.questions ?? 0;
			recall.found += (mined?.questions ?? 0) * (mined?.recall["10"] ?? 0);
		} catch (error) {
			if (!(error instanceof EngineError)) throw error;
			skipped.push({ file, says: error.message });
		}
	}
	if (reports.length === 0)
		throw new EngineError("not-found", `${options.folder} has no session that weft can replay.`);
	const aside = reports.filter(({ isAside }) => isAside).map(({ report }) => report);
	return {
		sessions: reports.length,
		aside: aside.length,
		skipped,
		all: totalsOf(reports.map(({ report }) => report)),
		...(aside.length > 0 && { keptAside: totalsOf(aside) }),
		recall: { questions: recall.questions, at10: recall.questions === 0 ? 0 : recall.found / recall.questions },
	};
}

export function publicResult(report: PublicReport): BenchResult {
	return { report, lines: () => renderPublic(report) };
}

async function replay(file: string, exams: string | undefined): Promise<ReplayReport> {
	const recording = await openRecording(file);
	try {
		const exam = exams === undefined ? undefined : readExam(exams, file);
		return await replaySession(recording, {
			rows: ["woven", "tail", "host"],
			profile: "balanced",
			classes: true,
			exam,
		});
	} finally {
		recording.close();
	}
}

/** A short session has no term that comes back. */
function ignoreShort(error: unknown): undefined {
	if (!(error instanceof EngineError)) throw error;
}

const COST_ROWS: readonly (readonly [name: string, of: (total: ModeTotal) => number | null])[] = [
	["cost of the input, everything counted", ({ ofHost }) => ofHost],
	["the same, with 3,000 tokens for system prompt and tools", ({ ofHost3k }) => ofHost3k],
	["the same, plus the price of reading again what was missing", ({ healedOfHost3k }) => healedOfHost3k],
];
const HELD_ROWS: readonly (readonly [name: string, of: (total: ModeTotal) => number | null])[] = [
	["edits whose old text was in the prompt", ({ editSupport }) => editSupport],
	["the same, or in the answer to the failed edit", ({ editsAtHand }) => editsAtHand],
	["names used by the agent that were in the prompt", ({ termSupport }) => termSupport],
];

function* renderPublic({ all, keptAside, sessions, aside, skipped, recall }: PublicReport): Generator<string> {
	const hosts = Object.keys(all.byHost);
	const calls = all.all.woven?.requests ?? 0;
	const byHost = hosts.map((host) => `${all.byHost[host]?.woven?.sessions ?? 0} of ${host}`).join(", ");
	yield `${plural(sessions, "session")} (${formatCount(calls)} model calls: ${byHost})${aside > 0 ? `, ${aside} of them kept aside` : ""}.`;
	yield "";
	const columns: readonly (readonly [string, ModeTotal | undefined])[] = [
		["all", all.all.woven],
		...(keptAside ? [["kept aside", keptAside.all.woven] as const] : []),
		...hosts.map((host) => [host, all.byHost[host]?.woven] as const),
		["the newest messages alone, in as many tokens", all.all.tail],
	];
	yield* markdownTable(
		["weft, compared with the agent alone", ...columns.map(([name]) => name)],
		[
			// A tail breaks the cache with every request, so its cost says nothing.
			...COST_ROWS.map(([name, of]) => [
				name,
				...columns.map(([, total]) => (total === all.all.tail ? "" : ratio(total && of(total)))),
			]),
			...HELD_ROWS.map(([name, of]) => [name, ...columns.map(([, total]) => percent(total && of(total)))]),
		],
	);
	yield "";
	yield* markdownTable(
		["a token from the cache costs", "cost", "at 3,000", "plus reading again", "edits", "names"],
		all.classes.map(classRow),
	);
	const exam = all.all.woven?.exam;
	if (exam) {
		const rest = `${percent(exam.heldByTail / exam.of)} by the newest messages alone`;
		yield "";
		yield `Exam: ${percent(exam.held / exam.of)} of ${plural(exam.of, "question")} held in ${formatCount(Math.round(exam.meanTokens))} tokens, ${rest}.`;
	}
	if (recall.questions > 0) {
		yield "";
		yield `Recall: ${percent(recall.at10)} of ${plural(recall.questions, "term")} that came back, among its first ten.`;
	}
	for (const { says } of skipped) yield `Skipped: ${says}`;
}

function classRow({ read, ofHost, ofHost3k, healedOfHost3k, editSupport, termSupport }: ClassTotal): string[] {
	return [
		`${read} of input`,
		...[ofHost, ofHost3k, healedOfHost3k].map(ratio),
		...[editSupport, termSupport].map(percent),
	];
}

function* markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): Generator<string> {
	for (const cells of [head, head.map(() => "---"), ...rows]) yield `| ${cells.join(" | ")} |`;
}

function ratio(value: number | null | undefined): string {
	return typeof value === "number" ? value.toFixed(2) : "";
}

function percent(value: number | null | undefined): string {
	return typeof value === "number" ? formatPercent(value) : "";
}
