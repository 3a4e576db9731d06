import { type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

/**
 * Compilers and linters that print `place: severity: text`: gcc, clang, mypy, ruff, flake8, go build and vet, msbuild,
 * javac, shellcheck, … The tool does not matter: file, code and text make the error.
 */
export const diagnostic: Recogniser = {
	tool: "diagnostics",
	hint: /\b(gcc|g\+\+|clang|cc|make|cmake|ninja|mypy|ruff|flake8|pylint|pyright|go (build|vet)|golangci-lint|dotnet|javac|swift|shellcheck)\b/,
	sign: /\): (?:error|warning) |:\d+: |--> /,
	recognise(lines) {
		const found = lines.flatMap((line, i) => readPlaced(line) ?? readBelow(line, lines[i + 1] ?? "") ?? []);
		const errors = found.filter((one) => one.severity === "error");
		const kept = errors.length > 0 ? errors : found.filter((one) => one.severity === "finding");
		if (kept.length === 0) return null;
		return recognised("diagnostics", {
			status: errors.length > 0 ? "fail" : "unknown",
			errors: kept.map(toError),
		});
	},
};

interface Diagnostic {
	readonly file: string;
	readonly severity: "error" | "finding" | "remark";
	readonly code: string | null;
	readonly text: string;
}

function readPlaced(line: string): Diagnostic | null {
	const build = line.includes("): ")
		? /^\s*(?:\d+>)?(\S.*?)\(\d+(?:,\d+){0,3}\): (error|warning) (\w+): (.*)$/.exec(line)
		: null;
	if (build !== null) {
		const [, file = "", severity, code = "", rest = ""] = build;
		const text = rest.replace(/ \[[^\]]*proj(::[^\]]*)?\]$/, "");
		return { file, severity: severity === "error" ? "error" : "remark", code, text };
	}
	const match = /^(\.{0,2}[/\w@~+-][^\s:]{0,300}|[A-Za-z]:\\[^\s:]{1,300}):(\d+)(?::\d+)?: (.+)$/.exec(line);
	const [, file = "", , rest = ""] = match ?? [];
	if (!/\.[A-Za-z]\w{0,7}$/.test(file)) return null;
	if (/^(Failure|FAILED):?$/i.test(rest)) return null; // a test's verdict; the error is below it
	const said = /^(fatal error|error|warning|note|info|remark)(?:\[(\w+)\]| (\w*\d\w*))?: (.*)$/i.exec(rest);
	if (said === null) {
		const code = /^([A-Z]{1,6}\d{1,5}):? (?:\[\*\] )?(.*)$/.exec(rest);
		return { file, severity: "finding", code: code?.[1] ?? null, text: code?.[2] ?? rest };
	}
	const [, level = "", bracketed, bare, message = ""] = said;
	const tail = / {2}\[([\w-]+)\]$/.exec(message) ?? / \[(-W[\w=-]+)\]$/.exec(message);
	const text = tail === null ? message : message.slice(0, tail.index);
	const severity = /error/i.test(level) ? "error" : "remark";
	return { file, severity, code: bracketed ?? bare ?? tail?.[1] ?? null, text };
}

/** `F401 [*] text` with ` --> file:1:8` below it. */
function readBelow(line: string, next: string): Diagnostic | null {
	const [, code, text = ""] = /^([A-Z]{1,6}\d{1,5})(?: \[\*\])? (.+)$/.exec(line) ?? [];
	const file = code === undefined ? undefined : /^\s*--> (\S.*?):\d+:\d+$/.exec(next)?.[1];
	return code === undefined || file === undefined ? null : { file, severity: "finding", code, text };
}

function toError(one: Diagnostic): UnitError {
	const unit = [one.file, one.code].filter(Boolean).join(" ");
	return unitError({ unit, file: one.file, name: one.code }, [one.text], { class: one.code });
}
