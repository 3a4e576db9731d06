import { isShortened, linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

/** cargo test and nextest. Compiler errors are left to rustc. */
export const cargoTest: Recogniser = {
	tool: "cargo test",
	hint: /\bcargo (test|nextest|t)\b/,
	sign: /test result: |\.\.\. (?:ok|FAILED)|(?:PASS|FAIL|TIMEOUT|SIGABRT) \[| stdout ----|STDERR: /,
	recognise(lines) {
		const results = lines.filter((line) => /^test result: (ok|FAILED)\. \d/.test(line));
		const names = { ok: [] as string[], bad: [] as string[], ignored: [] as string[] };
		const kinds = { ok: "ok", FAILED: "bad", ignored: "ignored" } as const;
		for (const line of lines) {
			const [, test, verdict] = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)/.exec(line) ?? [];
			if (test !== undefined) names[kinds[verdict as keyof typeof kinds]].push(test);
			const [, status, next] = /^\s+(PASS|FAIL|TIMEOUT|SIGABRT) \[ *[\d.]+s\] (?:\(.*?\) )?\S+ (\S+)$/.exec(line) ?? [];
			if (next !== undefined) names[status === "PASS" ? "ok" : "bad"].push(next);
		}
		const errors = readSections(lines);
		const nextest = lines.some((line) => /^\s+Summary \[ *[\d.]+s\] /.test(line));
		if (results.length === 0 && names.ok.length + names.bad.length === 0 && errors.length === 0) return null;

		const described = new Set(errors.map((error) => error.name));
		for (const name of names.bad) if (!described.has(name)) errors.push(unitError({ unit: name, name }, []));
		const bad = new Set(names.bad);
		const failed = errors.length > 0 || results.some((line) => line.includes("FAILED"));
		const counted = results.reduce((sum, line) => sum + Number(/(\d+) failed/.exec(line)?.[1] ?? 0), 0);
		return recognised("cargo test", {
			status: failed ? "fail" : (results.length > 0 || nextest) && !endsEarly(lines) ? "pass" : "unknown",
			errors,
			passed: results.reduce((sum, line) => sum + Number(/(\d+) passed/.exec(line)?.[1] ?? 0), 0),
			passedNames: names.ok.filter((name) => !bad.has(name)),
			skipped: results.reduce((sum, line) => sum + Number(/(\d+) ignored/.exec(line)?.[1] ?? 0), 0),
			skippedNames: names.ignored,
			// By default the run ends at the first binary that fails.
			whole:
				results.length > 0 &&
				counted === errors.length &&
				!lines.some((line) => /^error: test failed, to rerun/.test(line)),
		});
	},
};

/** A test that ends its program takes the result with it, whatever the exit status. */
function endsEarly(lines: readonly string[]): boolean {
	const marks = lines.flatMap((line) => /^(running \d+ tests?|test result: )/.exec(line)?.[1]?.slice(0, 4) ?? []);
	return !isShortened(lines) && marks.some((mark, at) => mark === "runn" && marks[at + 1] !== "test");
}

const SECTION_END =
	/^(---- .+ ----|failures:|test result: |-{2,}\s*STD(ERR|OUT): |\s+(FAIL|PASS|SLOW|Summary|Canceling) +\[)/;

function readSections(lines: readonly string[]): UnitError[] {
	const errors: UnitError[] = [];
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i] ?? "";
		const name =
			/^---- (.+?) stdout ----$/.exec(line)?.[1] ?? /^-{2,}\s*STDERR: +\S+ (\S+) ?-*$/.exec(line.trim())?.[1];
		if (name === undefined) continue;
		const body = linesUntil(lines, i + 1, (each) => SECTION_END.test(each));
		i += body.length;
		errors.push(toError(name, body));
	}
	return errors;
}

function toError(name: string, body: readonly string[]): UnitError {
	const at = body.findIndex((line) => /^\s*thread '.*' (\(\d+\) )?panicked at /.test(line));
	if (at < 0) return unitError({ unit: name, name }, body, { keyLines: 3 });
	const old = /panicked at '(.*)', \S+:\d+:\d+$/.exec(body[at] ?? "")?.[1];
	const rest = body.slice(at + 1);
	const end = rest.findIndex((line) => /^\s*(note: |stack backtrace:)/.test(line));
	const message = [...(old === undefined ? [] : [old]), ...(end < 0 ? rest : rest.slice(0, end))];
	return unitError({ unit: name, name }, message, { class: "panic", keyLines: 5 });
}

/** Compiler errors: cargo build, check, clippy, and a test run that does not compile. */
export const rustc: Recogniser = {
	tool: "rustc",
	hint: /\bcargo (b|build|c|check|clippy|run)\b|\brustc\b/,
	sign: /--> |error: (?:could not compile|aborting due)/,
	recognise(lines) {
		const errors: UnitError[] = [];
		for (const [i, line] of lines.entries()) {
			const [, code, text] = /^error(?:\[(\w+)\])?: (.+)$/.exec(line) ?? [];
			if (text === undefined || SUMMARY.test(text)) continue;
			const place =
				lines
					.slice(i + 1, i + 6)
					.map((next) => /^\s*--> (\S.*?):\d+:\d+$/.exec(next)?.[1])
					.find(Boolean) ?? null;
			if (place === null) continue;
			const unit = [place, code].filter(Boolean).join(" ");
			const label = lines
				.slice(i + 1, i + 12)
				.map((next) => /^\s*\|\s+(?:\||_)*[\s|_]*[\^-]+ (.+)$/.exec(next)?.[1])
				.find(Boolean);
			const key = [text, ...(label === undefined ? [] : [label])];
			errors.push(unitError({ unit, file: place, name: code ?? null }, key, { class: code ?? null, key }));
		}
		const gaveUp = lines.some(
			(line) => /^error: could not compile `/.test(line) || /^error: aborting due to \d* ?previous/.test(line),
		);
		if (errors.length === 0 && !gaveUp) return null;
		return recognised("rustc", { status: "fail", errors });
	},
};

const SUMMARY = /^(could not compile|aborting due to|test failed|build failed|process didn't exit|\d+ targets? failed)/;
