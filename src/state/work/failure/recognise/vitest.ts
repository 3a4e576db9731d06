import { countOf, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

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
		const tree = readTree(lines);
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
		for (const unit of units) errors.push(toError(unit, message));
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

function readTree(lines: readonly string[]): { errors: UnitError[]; passed: Set<string> } {
	const errors: UnitError[] = [];
	const passed = new Set<string>();
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
		const bad = /^\s+[×✗] (.+)$/.exec(line)?.[1];
		if (bad === undefined) continue;
		const arrow = /^\s+→ (.+)$/.exec(lines[i + 1] ?? "")?.[1];
		errors.push(toError(withFile(bare(bad), file), arrow === undefined ? [] : [arrow]));
	}
	return { errors, passed };
}

function toError(unit: string, message: readonly string[]): UnitError {
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
