import { countOf, linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

export const rspec: Recogniser = {
	tool: "rspec",
	hint: /\brspec\b/,
	sign: / examples?, |Failure\/Error: |rspec \S+ # /,
	recognise(lines) {
		const summary = lines.findLast((line) => /^\d+ examples?, \d+ failures?/.test(line));
		const errors = readFailures(lines);
		const ours = summary !== undefined || lines.some((line) => /^\s+Failure\/Error: |^rspec \S+ # /.test(line));
		if (!ours) return null;
		const [examples, failures] = (summary?.match(/\d+/g) ?? []).map(Number);
		const outside = / (\d+) errors? occurred outside/.exec(summary ?? "");
		const failed = (failures ?? 0) > 0 || errors.length > 0 || outside !== null;
		return recognised("rspec", {
			status: failed ? "fail" : (examples ?? 0) > 0 ? "pass" : "unknown",
			errors,
			passed: examples === undefined ? null : examples - (failures ?? 0),
			skipped: countOf(summary ?? "", "pending"),
			whole: summary !== undefined && outside === null && failures === errors.length,
		});
	},
};

function readFailures(lines: readonly string[]): UnitError[] {
	const files = new Map<string, string>();
	for (const line of lines) {
		const [, file = "", name] = /^rspec (\S+?)(?::\d+|\[[\d:]+\])? # (.+)$/.exec(line) ?? [];
		if (name !== undefined) files.set(name, file);
	}
	const errors: UnitError[] = [];
	for (let i = 0; i < lines.length; i++) {
		const name = /^ {2}\d+\) (.+)$/.exec(lines[i] ?? "")?.[1];
		if (name === undefined) continue;
		const body = linesUntil(lines, i + 1, (line) => /^( {2}\d+\) |Finished in |Failed examples:)/.test(line)).map(
			(line) => line.trim(),
		);
		i += body.length;
		const end = body.findIndex((line) => line.startsWith("# "));
		const message = (end < 0 ? body : body.slice(0, end)).filter((line) => line !== "");
		const code = message.findIndex((line) => line.startsWith("Failure/Error:"));
		const said = code < 0 ? message : message.slice(code + 1);
		errors.push(toError(name, files.get(name) ?? null, said.length > 0 ? said : message));
	}
	if (errors.length === 0) for (const [name, file] of files) errors.push(toError(name, file, []));
	return errors;
}

function toError(name: string, file: string | null, lines: readonly string[]): UnitError {
	const heading = /^([\w:]+(?:Error|NotFound|Invalid|Exception)):$/.exec(lines[0] ?? "")?.[1];
	const message = heading === undefined ? lines : lines.slice(1);
	return unitError({ unit: name, file, name }, message, { class: heading ?? null, keyLines: 4 });
}
