import { linesUntil, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

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
			whole: fail !== null && pass !== null && bad <= found.errors.length,
		});
	},
};

interface NodeResults {
	readonly errors: UnitError[];
	readonly passed: string[];
}

function total(lines: readonly string[], word: string): number | null {
	const line = lines.findLast((one) => new RegExp(`^[ℹ#] ${word} \\d+$`).test(one));
	return line === undefined ? null : Number(line.slice(line.lastIndexOf(" ") + 1));
}

function readSpec(lines: readonly string[]): NodeResults {
	const passed = lines.flatMap((line) => /^\s*✔ (.+?)(?: \([\d.]+ms\))?(?: # .*)?$/.exec(line)?.[1] ?? []);
	const start = lines.findIndex((line) => /^✖ failing tests:$/.test(line));
	const places = lines.findIndex((line) => /^test at \S+:\d+:\d+$/.test(line));
	if (start < 0 && places < 0) return { errors: readTree(lines), passed };

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
		errors.push(toError(file, name, message));
		file = null;
	}
	return { errors, passed };
}

/** If the list of failures was cut off: the leaves of the tree, without messages. */
function readTree(lines: readonly string[]): UnitError[] {
	const bad = lines.flatMap((line) => {
		const [, indent = "", name] = /^(\s*)✖ (.+?) \([\d.]+ms\)$/.exec(line) ?? [];
		return name === undefined ? [] : [{ depth: indent.length, name }];
	});
	// A suite is printed after its tests, so it follows a deeper line.
	return bad.filter((one, i) => (bad[i - 1]?.depth ?? 0) <= one.depth).map((one) => toError(null, one.name, []));
}

function readTap(lines: readonly string[]): NodeResults {
	const errors: UnitError[] = [];
	const passed: string[] = [];
	for (let i = 0; i < lines.length; i++) {
		const [, verdict, title = ""] = /^\s*(not ok|ok) \d+ - (.+)$/.exec(lines[i] ?? "") ?? [];
		if (verdict === undefined) continue;
		const name = title.replace(/ # (SKIP|TODO).*$/, "");
		if (verdict === "ok") {
			passed.push(name);
			continue;
		}
		const yaml = linesUntil(lines, i + 1, (line) => /^\s*(?:\.\.\.$|(?:not ok|ok) \d+ - )/.test(line));
		i += yaml.length;
		if (yaml.some((line) => /failureType: '(subtestsFailed|cancelledByParent)'/.test(line))) continue;
		const file = yaml.map((line) => /^\s*location: '(.+?):\d+:\d+'$/.exec(line)?.[1]).find(Boolean) ?? null;
		errors.push(toError(file, name, tapMessage(yaml)));
	}
	return { errors, passed };
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

function toError(file: string | null, name: string, lines: readonly string[]): UnitError {
	const end = lines.findIndex((line) => /^\s*(at \S.*[:)]|generatedMessage: |code: 'ERR_|\[cause\]: )/.test(line));
	const message = end < 0 ? lines : lines.slice(0, end);
	const unit = [file, name].filter(Boolean).join(" > ");
	return unitError(
		{ unit, file, name },
		message.map((line) => line.replace(/ \{$/, "")),
		{ keyLines: 6 },
	);
}
