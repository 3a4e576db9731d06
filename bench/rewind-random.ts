/**
 * `npm run bench -- rewind --random N`: random destructive commands in work trees of 50 to 50,000 files. After each,
 * `weft rewind` must bring back every file that was there before, compared by hash.
 */

import { plural } from "../src/base/text/bytes.ts";
import { oneLine } from "../src/base/text/printable.ts";
import { renderTable } from "../src/base/text/table.ts";
import { type LostFile, runTrial, type TrialReport } from "../test/rig/destroyed/trial.ts";
import type { BenchResult } from "./bench-result.ts";
import { random } from "./corpus.ts";
import { median } from "./measure.ts";

/** Files of a tree, and its share of the commands. */
const SIZES = [
	{ files: 50, share: 0.6 },
	{ files: 500, share: 0.2 },
	{ files: 5_000, share: 0.1 },
	{ files: 50_000, share: 0.1 },
];
/** Commands in one tree. */
const TREE_COMMANDS = 50;
/** Every fourth tree is a folder without a repository. */
const PLAIN_EVERY = 4;
const MAX_EXAMPLES = 20;

interface RandomReport {
	readonly trees: readonly (TrialReport & { readonly name: string })[];
}

export function runRandomBench(commands: number, onProgress: (what: string) => void): RandomReport {
	const sizes = SIZES.flatMap(({ files, share }) =>
		chunks(Math.round(commands * share)).map((count, n) => ({
			count,
			files,
			kind: n % PLAIN_EVERY === PLAIN_EVERY - 1 ? ("plain" as const) : ("git" as const),
		})),
	);
	let done = 0;
	const trees = sizes.map(({ count, files, kind }, n) => {
		const onCommand = (line: string) => onProgress(`${++done} of ${commands}: ${oneLine(line)}`);
		const name = `${n + 1}: ${kind === "git" ? "git" : "no repository"}, ${plural(files, "file")}`;
		return { name, ...runTrial({ kind, files, commands: count, random: random(n + 1), onCommand }) };
	});
	return { trees };
}

function chunks(count: number): number[] {
	const whole = Array.from({ length: Math.floor(count / TREE_COMMANDS) }, () => TREE_COMMANDS);
	return count % TREE_COMMANDS > 0 ? [...whole, count % TREE_COMMANDS] : whole;
}

export function randomResult(report: RandomReport): BenchResult {
	return { report, lines: () => renderRandom(report) };
}

function* renderRandom({ trees }: RandomReport): Generator<string> {
	const titles = ["commands", "stopped", "files taken", "lost", "undo wrong", "guard", "harmless"];
	const ms = (times: readonly number[]) => `${median([...times]).toFixed(1)} ms`;
	const row = (name: string, of: TrialReport) => [
		name,
		...[of.commands, of.stopped, of.taken, of.lost.length, of.undone.length].map(String),
		ms(of.guardMs),
		ms(of.harmlessMs),
	];
	const columns = [{ title: "tree" }, ...titles.map((title) => ({ title, align: "right" as const }))];
	const all = {
		commands: sum(trees.map(({ commands }) => commands)),
		stopped: sum(trees.map(({ stopped }) => stopped)),
		destructive: sum(trees.map(({ destructive }) => destructive)),
		taken: sum(trees.map(({ taken }) => taken)),
		lost: trees.flatMap(({ lost }) => lost),
		undone: trees.flatMap(({ undone }) => undone),
		guardMs: trees.flatMap(({ guardMs }) => guardMs),
		harmlessMs: trees.flatMap(({ harmlessMs }) => harmlessMs),
	};
	yield* renderTable(columns, [...trees.map((tree) => row(tree.name, tree)), row("all", all)], { style: "ruled" });
	yield `${all.destructive} of ${all.commands} commands took or changed a file.`;
	for (const { line, path, why } of [...all.lost, ...all.undone].slice(0, MAX_EXAMPLES) as LostFile[])
		yield `${oneLine(path)} after ${oneLine(line)}: ${why}`;
}

function sum(counts: readonly number[]): number {
	return counts.reduce((total, count) => total + count, 0);
}
