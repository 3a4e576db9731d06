import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandIdentity } from "../../src/base/shell/identity.ts";
import { limitToolResult } from "../../src/state/session/tool-result-limits.ts";
import { type Fingerprint, failureFingerprint } from "../../src/state/work/failure/fingerprint.ts";
import { recognise } from "../../src/state/work/failure/recognise/recognise.ts";
import { readLines, readRun, type ShellRun } from "../../src/state/work/failure/run-reading.ts";
import { compiled } from "../fixtures/failures/first/compiled.ts";
import { javascript } from "../fixtures/failures/first/javascript.ts";
import { python } from "../fixtures/failures/first/python.ts";
import { builds } from "../fixtures/failures/second/builds.ts";
import { programs } from "../fixtures/failures/second/programs.ts";
import { tests } from "../fixtures/failures/second/tests.ts";
import { cases as third } from "../fixtures/failures/third/cases.ts";
import { type FailureCase, VARIATIONS, type Vary } from "../fixtures/failures/vary.ts";

const CORPORA: Readonly<Record<string, readonly FailureCase[]>> = {
	first: [...python, ...javascript, ...compiled],
	second: [...tests, ...builds, ...programs],
	third,
};

for (const [corpus, cases] of Object.entries(CORPORA)) {
	describe(`the ${corpus} corpus of failures`, () => {
		it("has at least twelve tools, each with two failures", () => {
			const tools = Map.groupBy(cases, (one) => one.tool);
			assert.ok(tools.size >= 12);
			for (const [tool, own] of tools) assert.ok(own.length >= 2, tool);
		});

		for (const one of cases) {
			it(`gives one fingerprint to every variant of ${one.tool}: ${one.name}`, () => {
				const prints = runsOf(one).map((run) => ({ as: run.as, id: fingerprint(run).id }));
				for (const print of prints) assert.equal(print.id, prints[0]!.id, print.as);
			});

			it(`sees that ${one.tool} failed (${one.name}), and what`, () => {
				for (const run of runsOf(one)) {
					const reading = readRun(run);
					assert.equal(reading.status === "pass", false, run.as);
					if (one.failed !== undefined) {
						assert.equal(reading.status, "fail", run.as);
						const units = reading.fingerprint!.marks.map((mark) => mark.unit);
						assert.deepEqual(units.toSorted(), [...one.failed].toSorted(), run.as);
					}
				}
			});
		}

		it("reads the same from output that was shortened when it entered", () => {
			let shortened = 0;
			for (const one of cases) {
				for (const run of runsOf(one).slice(0, 1)) {
					const noise = Array.from({ length: 600 }, (_, n) => `ok ${n + 1} - part ${n} of the suite`).join("\n");
					for (const output of [run.output, `${noise}\n${run.output}`]) {
						const entered = limitToolResult(output, { class: "shell", command: run.command });
						if (!entered) continue;
						shortened++;
						const units = ({ status, fingerprint }: ReturnType<typeof readRun>) => [
							status,
							fingerprint?.marks.map(({ unit }) => unit),
						];
						assert.deepEqual(
							units(readRun({ ...run, output: entered.text })),
							units(readRun({ ...run, output })),
							run.as,
						);
					}
				}
			}
			assert.ok(shortened >= cases.length / 2, `${shortened} of ${cases.length}`);
		});

		it("never gives two failures the same fingerprint", () => {
			const seen = new Map<string, string>();
			for (const one of cases) {
				for (const mark of [fingerprint(runsOf(one)[0]!)]) {
					const name = `${one.tool}: ${one.name}`;
					assert.equal(seen.get(mark.hash), undefined, name);
					seen.set(mark.hash, name);
				}
			}
		});
	});
}

it("keeps the failures of all corpora apart", () => {
	const all = Object.values(CORPORA).flat();
	assert.equal(new Set(all.map((one) => fingerprint(runsOf(one)[0]!).hash)).size, all.length);
});

/** Of any output, whether or not the run is known to have failed. */
function fingerprint(given: Omit<ShellRun, "exit"> & { readonly exit?: number }): Fingerprint {
	const run = { exit: null, ...given };
	const identity = commandIdentity(run.command, { cwd: run.cwd });
	const lines = readLines(run.output);
	return failureFingerprint(run, identity, lines, recognise(lines, identity.command));
}

function runsOf(one: FailureCase) {
	return VARIATIONS.flatMap((vary: Vary) =>
		one.commands.map((command) => ({
			as: `${vary.name}, ${command}`,
			command,
			cwd: vary.root,
			exit: one.exit ?? 1,
			output: vary.dress(one.print(vary)),
		})),
	);
}
