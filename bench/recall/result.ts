/** `npm run bench -- recall` as tables. */

import { renderTable } from "../../src/base/text/table.ts";
import type { BenchResult } from "../bench-result.ts";
import { measureCommits } from "./commits.ts";
import { measureLocomo } from "./locomo.ts";
import { measureSession } from "./mined.ts";

const LOCOMO_COLUMNS = ["", "questions", "@5", "@10", "@20", "@50"];
const MINED_COLUMNS = ["", "questions", "@5", "@10", "@20"];

export function locomoResult(file: string): BenchResult {
	const report = measureLocomo(file);
	return {
		report,
		*lines({ dim }) {
			const rows = Object.entries(report.byCategory).map(([category, { questions, recall }]) => [
				category === "5" ? "5, adversarial, not in the total" : `category ${category}`,
				String(questions),
				...Object.values(recall).map(share),
			]);
			yield* table(
				LOCOMO_COLUMNS,
				[...rows, ["all", String(report.questions), ...Object.values(report.recall).map(share)]],
				dim,
			);
		},
	};
}

export async function commitsResult(file: string, onProgress: (what: string) => void): Promise<BenchResult> {
	const report = await measureCommits(file, onProgress);
	return {
		report,
		*lines({ dim }) {
			const { bySubject, byDiff, byAll, bySubjectIn10, byDiffIn10, commits } = report;
			const rows = [
				["by the subject", share(bySubject), share(bySubjectIn10)],
				["by the diff", share(byDiff), share(byDiffIn10)],
				["by subject, diff and hash", share(byAll), ""],
			];
			yield* table([`${commits} commits`, "@1", "@10"], rows, dim);
		},
	};
}

export async function minedResult(file: string): Promise<BenchResult> {
	const report = await measureSession(file);
	return {
		report,
		*lines({ dim }) {
			const positions = Object.entries(report.byPosition).map(([name, { questions, recall }]) => [
				name,
				String(questions),
				...Object.values(recall).map(share),
			]);
			const variants = Object.entries(report.variants).map(([name, recall]) => [
				name,
				String(report.questions),
				...Object.values(recall).map(share),
			]);
			yield* table(MINED_COLUMNS, [...variants, ...positions], dim);
		},
	};
}

function table(
	titles: readonly string[],
	rows: readonly (readonly string[])[],
	dim: (text: string) => string,
): Iterable<string> {
	const columns = titles.map((title, n) => ({ title, align: n === 0 ? ("left" as const) : ("right" as const) }));
	return renderTable(columns, rows, { style: "ruled", paintHead: dim });
}

function share(value: number): string {
	return value.toFixed(3);
}
