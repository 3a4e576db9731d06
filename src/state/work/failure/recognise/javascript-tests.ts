import { countOf, linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

export const jest: Recogniser = {
	tool: "jest",
	hint: /\bjest\b|\breact-scripts\b/,
	sign: /Tests: {2}|Test Suites: |FAIL \S/,
	recognise(lines) {
		const tests = lines.findLast((line) => /^Tests: {2,}/.test(line)) ?? null;
		const suites = lines.findLast((line) => /^Test Suites: /.test(line)) ?? null;
		const { errors, passed } = readSuites(lines);
		if (tests === null && suites === null && (errors.length === 0 || !lines.some(isFail))) return null;

		const bad = countOf(tests ?? "", "failed");
		const failed = bad > 0 || countOf(suites ?? "", "failed") > 0 || errors.length > 0;
		const named = errors.filter((error) => error.name !== null).length;
		return recognised("jest", {
			status: failed ? "fail" : countOf(suites ?? "", "passed") > 0 ? "pass" : "unknown",
			errors,
			passed: tests === null ? null : countOf(tests, "passed"),
			passedNames: passed,
			skipped: countOf(tests ?? "", "skipped") + countOf(tests ?? "", "todo"),
			whole:
				tests !== null &&
				bad === new Set(errors.filter((e) => e.name !== null).map((e) => e.unit)).size &&
				named >= bad,
		});
	},
};

/** Headings that are not tests. */
const NO_TEST = /^(Console|Validation Warning|Deprecation Warning|Cannot log after)/;

function readSuites(lines: readonly string[]): { errors: UnitError[]; passed: Set<string> } {
	const errors: UnitError[] = [];
	const passed = new Set<string>();
	let file: string | null = null;
	let title: string | null = null;
	let message: string[] = [];
	const close = () => {
		if (title !== null) errors.push(jestError(file, title, message));
		title = null;
		message = [];
	};
	for (const line of lines) {
		const suite = /^(PASS|FAIL) (.+)$/.exec(line.trimStart());
		if (suite !== null && !line.startsWith("    ")) {
			close();
			file = fileOf(suite[2] ?? "");
			if (suite[1] === "PASS") passed.add(file);
			continue;
		}
		const heading = /^ {0,4}● (.+)$/.exec(line)?.[1];
		if (heading !== undefined) {
			close();
			title = NO_TEST.test(heading) ? null : heading;
		} else if (/^(Test Suites:|Tests:|Snapshots:|Summary of all failing tests)/.test(line)) close();
		else if (title !== null && line.trim() !== "") message.push(line);
	}
	close();
	return { errors, passed };
}

function jestError(file: string | null, title: string, lines: readonly string[]): UnitError {
	const end = lines.findIndex((line) => /^\s*(>?\s*\d+ \||at \S)/.test(line));
	const message = end < 0 ? lines : lines.slice(0, end);
	if (title === "Test suite failed to run") return unitError({ unit: file ?? title, file }, message, { keyLines: 3 });
	const name = title.replaceAll(" › ", " > ");
	return unitError({ unit: [file, name].filter(Boolean).join(" > "), file, name }, message, { keyLines: 5 });
}

/** Finds the file in `unit src/a.test.ts (5.2 s)`, between the project's name and the duration. */
function fileOf(text: string): string {
	return text.split(" ").find((word) => /[./\\]/.test(word) && !word.startsWith("(")) ?? text;
}

function isFail(line: string): boolean {
	return /^\s?FAIL \S/.test(line);
}

/**
 * Failures are printed twice: in the tree (`× name`), and below with their errors (` FAIL  file > name`). The tree is used
 * if the rest was cut off.
 */
export const vitest: Recogniser = {
	tool: "vitest",
	hint: /\bvitest\b/,
	sign: /Test Files {2}|(?:RUN|DEV) {2}v\d|⎯{3} Failed | FAIL {2}/,
	recognise(lines) {
		const files = find(lines, /^\s*Test Files {2}(.*\(\d+\))/);
		const tests = find(lines, /^\s{3,}Tests {2}(.*\(\d+\))/);
		const unhandled = lines.some((line) => /^\s*Errors {2}\d+ error/.test(line));
		const failures = readFailures(lines);
		const tree = readVitestTree(lines);
		const ours =
			files !== null || lines.some((line) => /^\s*(RUN|DEV) {2}v\d/.test(line) || /^⎯{3,} Failed /.test(line));
		if (!ours && (tree.errors.length === 0 || failures.length === 0)) return null;

		const errors = failures.length > 0 ? failures : tree.errors;
		const bad = countOf(files ?? "", "failed") + countOf(tests ?? "", "failed") > 0 || unhandled;
		const failed = bad || errors.length > 0;
		const counted = countOf(tests ?? "", "failed");
		const named = errors.filter((error) => error.name !== null).length;
		return recognised("vitest", {
			status: failed ? "fail" : countOf(files ?? "", "passed") > 0 ? "pass" : "unknown",
			errors,
			passed: tests === null ? null : countOf(tests, "passed"),
			passedNames: tree.passed,
			skipped: countOf(tests ?? "", "skipped") + countOf(tests ?? "", "todo"),
			skippedNames: tree.skipped,
			whole: tests !== null && !unhandled && counted === named,
		});
	},
};

function readFailures(lines: readonly string[]): UnitError[] {
	const errors: UnitError[] = [];
	let units: string[] = [];
	let message: string[] = [];
	let reading = false;
	const close = () => {
		for (const unit of units) errors.push(vitestError(unit, message));
		units = [];
		message = [];
		reading = false;
	};
	for (const line of lines) {
		const unit = /^ {1,2}FAIL {2}(.+)$/.exec(line)?.[1];
		if (unit !== undefined) {
			if (message.length > 0) close(); // several names in a row share one error
			units.push(unit);
			reading = true;
		} else if (reading) {
			if (/^\s*❯ |^⎯{3,}|^\s*\d*\|/.test(line)) {
				if (message.length > 0) close();
			} else if (line.trim() !== "") message.push(line);
		}
	}
	close();
	return errors;
}

function readVitestTree(lines: readonly string[]): { errors: UnitError[]; passed: Set<string>; skipped: string[] } {
	const errors: UnitError[] = [];
	const passed = new Set<string>();
	const skipped: string[] = [];
	let file: string | null = null;
	for (const [i, line] of lines.entries()) {
		const head = /^ [❯✓×] (?:\|[^|]{1,60}\| )?(\S+\.\w+)(?: \(.*)?(?: \d+m?s)?$/.exec(line)?.[1];
		if (head !== undefined) {
			file = head;
			if (line.startsWith(" ✓")) passed.add(head);
			continue;
		}
		const done = /^\s+✓ (.+)$/.exec(line)?.[1];
		if (done !== undefined) passed.add(spell(withFile(bare(done), file)));
		const left = /^\s+↓ (.+)$/.exec(line)?.[1];
		if (left !== undefined) skipped.push(spell(withFile(bare(left.replace(/ \[skipped\]$/, "")), file)));
		const bad = /^\s+[×✗] (.+)$/.exec(line)?.[1];
		if (bad === undefined) continue;
		const arrow = /^\s+→ (.+)$/.exec(lines[i + 1] ?? "")?.[1];
		errors.push(vitestError(withFile(bare(bad), file), arrow === undefined ? [] : [arrow]));
	}
	return { errors, passed, skipped };
}

function vitestError(unit: string, message: readonly string[]): UnitError {
	const spelt = spell(bare(unit));
	const [file = "", ...names] = spelt.split(" > ");
	return unitError({ unit: spelt, file, name: names.length === 0 ? null : names.join(" > ") }, message);
}

/** Removes the project, the duration and the repeated file of a failed suite. */
function bare(unit: string): string {
	return unit
		.replace(/^\|[^|]{1,60}\| /, "")
		.replace(/ \[ .* \]$/, "")
		.replace(/ \(retry x\d+\)/, "")
		.replace(/ \d+(\.\d+)?m?s$/, "")
		.trim();
}

function spell(unit: string): string {
	return unit.replaceAll(" › ", " > ");
}

function withFile(unit: string, file: string | null): string {
	return file === null || /^\S+\.\w+ > /.test(unit) ? unit : `${file} > ${unit}`;
}

function find(lines: readonly string[], pattern: RegExp): string | null {
	return pattern.exec(lines.findLast((line) => pattern.test(line)) ?? "")?.[1] ?? null;
}

/** Both reporters: spec (✔ ✖ ℹ) and TAP (ok, not ok, #). */
export const nodeTest: Recogniser = {
	tool: "node:test",
	hint: /\bnode\b.* --test\b|\btsx\b.* --test\b/,
	sign: /[ℹ#] (?:fail|pass) \d|TAP version 1|failureType: '|test at \S/,
	recognise(lines) {
		const fail = total(lines, "fail");
		const pass = total(lines, "pass");
		const tap =
			lines.some((line) => /^TAP version 1[34]/.test(line)) || lines.some((line) => /^\s*failureType: '/.test(line));
		const found = tap ? readTap(lines) : readSpec(lines);
		if (pass === null && fail === null && !tap && !lines.some((line) => /^test at \S+:\d+:\d+$/.test(line)))
			return null;

		const bad = (fail ?? 0) + (total(lines, "cancelled") ?? 0);
		return recognised("node:test", {
			status: bad > 0 || found.errors.length > 0 ? "fail" : (pass ?? 0) > 0 ? "pass" : "unknown",
			errors: found.errors,
			passed: pass,
			passedNames: found.passed,
			skipped: (total(lines, "skipped") ?? 0) + (total(lines, "todo") ?? 0),
			skippedNames: found.skipped,
			whole: fail !== null && pass !== null && bad <= found.errors.length,
		});
	},
};

interface NodeResults {
	readonly errors: UnitError[];
	readonly passed: string[];
	readonly skipped: string[];
}

function total(lines: readonly string[], word: string): number | null {
	const line = lines.findLast((one) => new RegExp(`^[ℹ#] ${word} \\d+$`).test(one));
	return line === undefined ? null : Number(line.slice(line.lastIndexOf(" ") + 1));
}

function readSpec(lines: readonly string[]): NodeResults {
	const marks = lines.flatMap((line) => {
		const [, indent = "", mark, name = "", left] =
			/^(\s*)([✔✖﹣⚠]) (.+?)(?: \([\d.]+ms\))?(?: # (SKIP|TODO).*)?$/.exec(line) ?? [];
		return mark === undefined
			? []
			: [{ depth: indent.length, isGood: mark === "✔", name, isLeftOut: left !== undefined }];
	});
	const { passed, skipped } = withoutEmptyFiles(marks);
	const start = lines.findIndex((line) => /^✖ failing tests:$/.test(line));
	const places = lines.findIndex((line) => /^test at \S+:\d+:\d+$/.test(line));
	if (start < 0 && places < 0) return { errors: readNodeTree(lines), passed, skipped };

	const errors: UnitError[] = [];
	let file: string | null = null;
	for (let i = Math.max(start, places - 1) + 1; i < lines.length; i++) {
		const line = lines[i] ?? "";
		const place = /^test at (\S+?):\d+:\d+$/.exec(line)?.[1];
		if (place !== undefined) {
			file = place;
			continue;
		}
		const name = /^✖ (.+?)(?: \([\d.]+ms\))?$/.exec(line)?.[1];
		if (name === undefined) continue;
		const message = linesUntil(lines, i + 1, (each) => /^\S/.test(each));
		i += message.length;
		errors.push(nodeTestError(file, name, message));
		file = null;
	}
	return { errors, passed, skipped };
}

interface NodeMark {
	readonly depth: number;
	readonly isGood: boolean;
	readonly name: string;
	readonly isLeftOut: boolean;
}

/** A file that is named as a test, with no test below it, ran none: the program ended before, with exit 0. */
function withoutEmptyFiles(marks: readonly NodeMark[]): Pick<NodeResults, "passed" | "skipped"> {
	const isEmpty = ({ name, depth }: NodeMark, at: number) =>
		/^\S+\.[cm]?[jt]sx?$/.test(name) && (marks[at - 1]?.depth ?? 0) <= depth;
	const isSkipped = (mark: NodeMark, at: number) => mark.isLeftOut || (mark.isGood && isEmpty(mark, at));
	return {
		passed: marks.filter((mark, at) => mark.isGood && !isSkipped(mark, at)).map(({ name }) => name),
		skipped: marks.filter(isSkipped).map(({ name }) => name),
	};
}

/** If the list of failures was cut off: the leaves of the tree, without messages. */
function readNodeTree(lines: readonly string[]): UnitError[] {
	const bad = lines.flatMap((line) => {
		const [, indent = "", name] = /^(\s*)✖ (.+?) \([\d.]+ms\)$/.exec(line) ?? [];
		return name === undefined ? [] : [{ depth: indent.length, name }];
	});
	// A suite is printed after its tests, so it follows a deeper line.
	return bad.filter((one, i) => (bad[i - 1]?.depth ?? 0) <= one.depth).map((one) => nodeTestError(null, one.name, []));
}

function readTap(lines: readonly string[]): NodeResults {
	const errors: UnitError[] = [];
	const marks: NodeMark[] = [];
	for (let i = 0; i < lines.length; i++) {
		const [, indent = "", verdict, title = ""] = /^(\s*)(not ok|ok) \d+ - (.+)$/.exec(lines[i] ?? "") ?? [];
		if (verdict === undefined) continue;
		const name = title.replace(/ # (SKIP|TODO).*$/, "");
		const isLeftOut = name !== title;
		marks.push({ depth: indent.length, isGood: verdict === "ok", name, isLeftOut });
		if (verdict === "ok" || isLeftOut) continue;
		const yaml = linesUntil(lines, i + 1, (line) => /^\s*(?:\.\.\.$|(?:not ok|ok) \d+ - )/.test(line));
		i += yaml.length;
		if (yaml.some((line) => /failureType: '(subtestsFailed|cancelledByParent)'/.test(line))) continue;
		const file = yaml.map((line) => /^\s*location: '(.+?):\d+:\d+'$/.exec(line)?.[1]).find(Boolean) ?? null;
		errors.push(nodeTestError(file, name, tapMessage(yaml)));
	}
	return { errors, ...withoutEmptyFiles(marks) };
}

function tapMessage(yaml: readonly string[]): string[] {
	const at = yaml.findIndex((line) => /^\s*error: /.test(line));
	if (at < 0) return [];
	const inline = /^\s*error: '(.*)'$/.exec(yaml[at] ?? "")?.[1];
	if (inline !== undefined) return [inline];
	const end = yaml.findIndex(
		(line, i) => i > at && /^\s{0,12}(code|name|stack|expected|actual|operator): ?/.test(line),
	);
	return yaml.slice(at + 1, end < 0 ? undefined : end);
}

function nodeTestError(file: string | null, name: string, lines: readonly string[]): UnitError {
	const end = lines.findIndex((line) => /^\s*(at \S.*[:)]|generatedMessage: |code: 'ERR_|\[cause\]: )/.test(line));
	const message = end < 0 ? lines : lines.slice(0, end);
	const unit = [file, name].filter(Boolean).join(" > ");
	return unitError(
		{ unit, file, name },
		message.map((line) => line.replace(/ \{$/, "")),
		{ keyLines: 6 },
	);
}
