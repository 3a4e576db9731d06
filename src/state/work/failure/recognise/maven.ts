import { linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

export const maven: Recogniser = {
	tool: "mvn",
	hint: /\b(mvn|mvnw)\b/,
	sign: /BUILD (?:SUCCESS|FAILURE)|Tests run: |<<< (?:FAILURE|ERROR)!/,
	recognise(lines) {
		const bare = lines.map((line) => ({
			level: /^\[(\w+)\]/.exec(line)?.[1] ?? "",
			text: line.replace(/^\[\w+\] ?/, ""),
		}));
		const built = lines.findLast((line) => /^\[INFO\] BUILD (SUCCESS|FAILURE)/.test(line));
		const counts = bare.findLast(
			(line) => /^Tests run: \d+, Failures: \d+/.test(line.text) && !line.text.includes("Time elapsed"),
		);
		const results = readResults(bare);
		const errors = results.length > 0 ? results : [...readVerdicts(bare), ...readCompiler(bare)];
		if (built === undefined && counts === undefined && !lines.some((line) => /<<< (FAILURE|ERROR)!/.test(line)))
			return null;

		const goal = bare.map((line) => /^Failed to execute goal (.*)$/.exec(line.text)?.[1]).find(Boolean);
		if (errors.length === 0 && goal !== undefined) errors.push(goalError(goal));
		const counted = counts === undefined ? null : sum(counts.text, /(Failures|Errors): (\d+)/g);
		const failed = errors.length > 0 || (counted ?? 0) > 0 || built?.includes("FAILURE") === true;
		const ran = counts === undefined ? null : sum(counts.text, /(Tests run): (\d+)/g);
		return recognised("mvn", {
			status: failed ? "fail" : built !== undefined || (ran ?? 0) > 0 ? "pass" : "unknown",
			errors,
			passed: ran === null ? null : ran - (counted ?? 0),
			skipped: counts === undefined ? 0 : sum(counts.text, /(Skipped): (\d+)/g),
			passedNames: bare.flatMap((line) => passedClass(line.text) ?? []),
			whole: counted !== null && counted === errors.length,
		});
	},
};

interface MavenLine {
	readonly level: string;
	readonly text: string;
}

/** Reads the lists at the end, `Failures:` and `Errors:`: `  BarTest.adds:15 expected: <4> but was: <3>`. */
function readResults(lines: readonly MavenLine[]): UnitError[] {
	const errors: UnitError[] = [];
	let inside = false;
	for (const { text } of lines) {
		if (/^(Failures|Errors): *$/.test(text)) inside = true;
		else if (/^(Tests run:|BUILD |Skipped:|Warnings:|-{5,}|Failed to execute)/.test(text)) inside = false;
		const one = inside ? /^ {2,}([\w$]+\.[\w$]+(?:\[.*?\])?)(?::\d+)?(?:->\S*)? ?(.*)$/.exec(text) : null;
		const last = errors.at(-1);
		if (one !== null) {
			const [, unit = "", said = ""] = one;
			const [, thrown = null, message = said] = /^» (\w+):? ?(.*)$/.exec(said) ?? [];
			errors.push(testError(unit, [message], thrown));
		} else if (inside && last && /^ {0,4}\S/.test(text) && !/^(Failures|Errors):/.test(text)) {
			const message = [...last.message, text.trim().slice(0, 400)].slice(0, 8);
			errors.splice(-1, 1, { ...last, message });
		}
	}
	return errors;
}

/** If the lists were cut off: reads `com.foo.BarTest.adds -- Time elapsed: 0.01 s <<< FAILURE!` and the exception below it. */
function readVerdicts(lines: readonly MavenLine[]): UnitError[] {
	return lines.flatMap(({ text }, i) => {
		if (!/<<< (FAILURE|ERROR)!\s*$/.test(text) || text.startsWith("Tests run:")) return [];
		const old = /^([\w$]+)(?:\[.*?\])?\(([\w$.]+)\)/.exec(text);
		const name = old === null ? /^([\w$.]+)\b/.exec(text)?.[1] : `${old[2]}.${old[1]}`;
		if (name === undefined) return [];
		return [testError(name.split(".").slice(-2).join("."), [lines[i + 1]?.text ?? ""], null)];
	});
}

function readCompiler(lines: readonly MavenLine[]): UnitError[] {
	return lines.flatMap(({ text, level }, i) => {
		const [, file, message = ""] = /^(\S.*?\.(?:java|kt|scala)):\[\d+,\d+\] (?:error: )?(.+)$/.exec(text) ?? [];
		if (file === undefined || level === "WARNING") return [];
		const more = linesUntil(lines, i + 1, (line) => !/^ {2,}(symbol|location|required|found|reason): /.test(line.text));
		const said = [message, ...more.map((line) => line.text)];
		return [unitError({ unit: file, file }, said, { class: "compile", keyLines: 3 })];
	});
}

function goalError(goal: string): UnitError {
	const [, plugin = "", name] = /^(\S+?):[\d.]+\S*:(\S+)/.exec(goal) ?? [];
	const text = goal.replace(/ -> \[Help \d+\]$/, "").replace(/^\S+ (\(\S+\) )?/, "");
	return unitError({ unit: name === undefined ? "goal" : `${plugin.split(":").at(-1)}:${name}` }, [text]);
}

function testError(unit: string, message: readonly string[], thrown: string | null): UnitError {
	const [file = "", name = null] = unit.split(".");
	return unitError({ unit, file, name }, message, { class: thrown });
}

function passedClass(text: string): string | null {
	const name = /^Tests run: \d+, Failures: 0, Errors: 0, .*Time elapsed: .* in (\S+)$/.exec(text)?.[1];
	return name?.split(".").at(-1) ?? null;
}

function sum(text: string, pattern: RegExp): number {
	return [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[2]), 0);
}
