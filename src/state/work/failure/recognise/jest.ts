import { countOf, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

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
		if (title !== null) errors.push(toError(file, title, message));
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

function toError(file: string | null, title: string, lines: readonly string[]): UnitError {
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
