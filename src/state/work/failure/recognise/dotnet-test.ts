import { linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

/** Compiler errors in the same output are left to `diagnostic`. */
export const dotnetTest: Recogniser = {
	tool: "dotnet test",
	hint: /\bdotnet (test|vstest)\b/,
	sign: /(?:Passed|Failed)!|Error Message:/,
	recognise(lines) {
		const totals = lines.flatMap((line) => {
			const match = /^(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+)(?:, Skipped:\s+(\d+))?/.exec(line.trim());
			const [failed = 0, passed = 0, skipped = 0] = match?.slice(1).map((count) => Number(count ?? 0)) ?? [];
			return match === null ? [] : [{ failed, passed, skipped }];
		});
		const errors = readFailures(lines);
		if (totals.length === 0 && errors.length === 0) return null;
		const bad = totals.reduce((sum, one) => sum + one.failed, 0);
		const passedNames = lines.flatMap((line) => /^\s{2}Passed (\S.*?) \[.*\]$/.exec(line)?.[1] ?? []);
		return recognised("dotnet test", {
			status: bad > 0 || errors.length > 0 ? "fail" : "pass",
			errors,
			passed: totals.length === 0 ? null : totals.reduce((sum, one) => sum + one.passed, 0),
			passedNames,
			skipped: totals.reduce((sum, one) => sum + one.skipped, 0),
			whole: totals.length > 0 && bad === errors.length,
		});
	},
};

function readFailures(lines: readonly string[]): UnitError[] {
	const errors: UnitError[] = [];
	for (let i = 0; i < lines.length; i++) {
		const name = /^\s{2}Failed (\S.*?)(?: \[.*\])?$/.exec(lines[i] ?? "")?.[1];
		if (name === undefined) continue;
		const body = linesUntil(lines, i + 1, (line) => /^\s{2}(Failed|Passed|Skipped) \S|^(Failed|Passed)!/.test(line));
		i += body.length;
		const from = body.findIndex((line) => /^\s*Error Message:/.test(line));
		const to = body.findIndex((line) => /^\s*Stack Trace:/.test(line));
		if (from < 0) continue;
		const message = body
			.slice(from + 1, to < 0 ? undefined : to)
			.map((line) => line.replace(/^\s*([\w.]+Exception) : /, "$1: "));
		const file = name.replace(/\(.*$/, "").split(".").slice(0, -1).join(".");
		errors.push(unitError({ unit: name, file: file === "" ? null : file, name }, message, { keyLines: 4 }));
	}
	return errors;
}
