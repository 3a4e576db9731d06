import { linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

/** The formats stylish, unix and compact. Warnings count only if there is no error. */
export const eslint: Recogniser = {
	tool: "eslint",
	hint: /\b(eslint|xo|next lint|standard)\b/,
	sign: /:\d+ +(?:error|warning) |\[(?:Error|Warning)|, col \d| problems? \(/,
	recognise(lines) {
		const problems = readProblems(lines);
		const summary = lines.findLast((line) => /^\s*[✖×x] \d+ problems? \(\d+ errors?, \d+ warnings?\)/.test(line));
		if (problems.length === 0 && summary === undefined) return null;
		if (summary === undefined && !problems.some((one) => one.rule !== null)) return null;

		const errors = problems.filter((one) => one.severity === "error");
		const counted = summary === undefined ? null : Number(/\((\d+) errors?/.exec(summary)?.[1]);
		const failed = errors.length > 0 || (counted ?? 0) > 0;
		return recognised("eslint", {
			status: failed ? "fail" : "unknown",
			errors: (failed ? errors : problems).map(toError),
			whole: counted !== null && counted === errors.length,
		});
	},
};

interface LintProblem {
	readonly file: string | null;
	readonly severity: string;
	readonly text: string;
	readonly rule: string | null;
}

function readProblems(lines: readonly string[]): LintProblem[] {
	const problems: LintProblem[] = [];
	let file: string | null = null;
	for (const line of lines) {
		if (/^(\/|[A-Za-z]:\\|\.{0,2}\/)?\S.*\.\w{1,6}$/.test(line) && !line.includes(": ")) file = line.trim();
		const problem = readStylish(line, file) ?? readUnix(line) ?? readCompact(line);
		if (problem) problems.push(problem);
	}
	return problems;
}

function readStylish(line: string, file: string | null): LintProblem | undefined {
	const [, severity, rest = ""] = /^ +\d+:\d+ +(error|warning) +(\S.*)$/.exec(line) ?? [];
	if (severity === undefined) return undefined;
	const gap = rest.lastIndexOf("  ");
	if (gap < 0) return { file, severity, text: rest, rule: null };
	return { file, severity, text: rest.slice(0, gap).trim(), rule: rest.slice(gap + 2).trim() };
}

function readUnix(line: string): LintProblem | undefined {
	const match = /^(\S.*?):\d+:\d+: (.+) \[(Error|Warning)(?:\/(\S+))?\]$/.exec(line);
	if (match === null) return undefined;
	const [, file = "", text = "", severity = "", rule = null] = match;
	return { file, severity: severity.toLowerCase(), text, rule };
}

function readCompact(line: string): LintProblem | undefined {
	const match = /^(\S.*?): line \d+, col \d+, (Error|Warning) - (.+?)(?: \((\S+)\))?$/.exec(line);
	if (match === null) return undefined;
	const [, file = "", severity = "", text = "", rule = null] = match;
	return { file, severity: severity.toLowerCase(), text, rule };
}

function toError(problem: LintProblem): UnitError {
	const unit = [problem.file, problem.rule].filter(Boolean).join(" ") || problem.text;
	const text = problem.text.replace(/\.$/, "");
	return unitError({ unit, file: problem.file, name: problem.rule }, [text], { class: problem.rule ?? "parse" });
}

/** Plain (`a.ts(1,2): error TS…`) and pretty (`a.ts:1:2 - error TS…`). Silence proves nothing: the exit status does. */
export const tsc: Recogniser = {
	tool: "tsc",
	hint: /\b(tsc|tsgo|vue-tsc)\b/,
	sign: /error TS|Found \d/,
	recognise(lines) {
		const errors: UnitError[] = [];
		for (const [i, line] of lines.entries()) {
			const at = line.indexOf("error TS");
			if (at < 0) continue;
			const [, code, text = ""] = /^error (TS\d+): (.*)$/.exec(line.slice(at)) ?? [];
			const place = placeOf(line.slice(0, at));
			if (code === undefined || place === null) continue;
			const more = linesUntil(lines, i + 1, (each) => !/^ {2,}\S/.test(each) || /^\s*\d+ /.test(each)).slice(0, 5);
			const unit = [place, code].filter(Boolean).join(" ");
			errors.push(unitError({ unit, file: place || null, name: code }, [text, ...more], { class: code }));
		}
		const counted = lines.map((line) => /^Found (\d+) errors?/.exec(line)?.[1]).findLast(Boolean);
		if (errors.length === 0 && counted === undefined) return null;
		return recognised("tsc", {
			status: counted === "0" && errors.length === 0 ? "pass" : "fail",
			errors,
			whole: counted !== undefined && Number(counted) === errors.length,
		});
	},
};

/** The file before the error. "": it belongs to no file. null: the compiler did not print this line. */
function placeOf(text: string): string | null {
	if (text.trim() === "") return "";
	return /^\s*(?:\S+: )?(\S.*?)(?:\(\d+,\d+\): |:\d+:\d+ - )$/.exec(text)?.[1] ?? null;
}
