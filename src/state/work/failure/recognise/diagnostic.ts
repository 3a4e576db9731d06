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
		const text = build[4]!.replace(/ \[[^\]]*proj(::[^\]]*)?\]$/, "");
		return { file: build[1]!, severity: build[2] === "error" ? "error" : "remark", code: build[3]!, text };
	}
	const match = /^(\.{0,2}[/\w@~+-][^\s:]{0,300}|[A-Za-z]:\\[^\s:]{1,300}):(\d+)(?::\d+)?: (.+)$/.exec(line);
	if (match === null || !/\.[A-Za-z]\w{0,7}$/.test(match[1]!)) return null;
	if (/^(Failure|FAILED):?$/i.test(match[3]!)) return null; // a test's verdict; the error is below it
	const file = match[1]!;
	const said = /^(fatal error|error|warning|note|info|remark)(?:\[(\w+)\]| (\w*\d\w*))?: (.*)$/i.exec(match[3]!);
	if (said === null) {
		const code = /^([A-Z]{1,6}\d{1,5}):? (?:\[\*\] )?(.*)$/.exec(match[3]!);
		return { file, severity: "finding", code: code?.[1] ?? null, text: code?.[2] ?? match[3]! };
	}
	const tail = / {2}\[([\w-]+)\]$/.exec(said[4]!) ?? / \[(-W[\w=-]+)\]$/.exec(said[4]!);
	const text = tail === null ? said[4]! : said[4]!.slice(0, tail.index);
	const severity = /error/i.test(said[1]!) ? "error" : "remark";
	return { file, severity, code: said[2] ?? said[3] ?? tail?.[1] ?? null, text };
}

/** `F401 [*] text` with ` --> file:1:8` below it. */
function readBelow(line: string, next: string): Diagnostic | null {
	const head = /^([A-Z]{1,6}\d{1,5})(?: \[\*\])? (.+)$/.exec(line);
	const place = head === null ? null : /^\s*--> (\S.*?):\d+:\d+$/.exec(next);
	return head === null || place === null
		? null
		: { file: place[1]!, severity: "finding", code: head[1]!, text: head[2]! };
}

function toError(one: Diagnostic): UnitError {
	const unit = [one.file, one.code].filter(Boolean).join(" ");
	return unitError({ unit, file: one.file, name: one.code }, [one.text], { class: one.code });
}
