import { MAX_ERRORS, type Recogniser, recognised, type UnitError, unitError } from "./types.ts";

export const goTest: Recogniser = {
	tool: "go test",
	hint: /\bgo test\b|\bgotestsum\b/,
	sign: /^(?:ok|FAIL)\s|--- (?:FAIL|PASS): |^# \S|^panic: |"Action"/m,
	recognise(raw) {
		const lines = fromJson(raw);
		const packages = lines.flatMap((line) => {
			const [, verdict, name, rest = ""] = PACKAGE.exec(line) ?? [];
			return verdict === undefined || rest.includes("[no tests to run]") ? [] : [`${verdict} ${name}`];
		});
		const found = readTests(lines);
		const passedPackages = packages.filter((one) => one.startsWith("ok ")).map((one) => one.slice(3));
		if (packages.length === 0 && found.errors.length === 0 && found.passed.length === 0) return null;

		const failed = found.errors.length > 0 || packages.some((one) => one.startsWith("FAIL ")) || lines.includes("FAIL");
		return recognised("go test", {
			status: failed ? "fail" : passedPackages.length > 0 || found.passed.length > 0 ? "pass" : "unknown",
			errors: found.errors,
			passed: null,
			passedNames: [...found.passed, ...passedPackages],
			skippedNames: found.skipped,
			whole: packages.length > 0 && !found.panicked,
		});
	},
};

/** The last line of a package: its name, then its time or error. Some agents turn the tabs into blanks. */
const PACKAGE = /^(ok|FAIL)\s+(\S+)\s+(\d+(?:\.\d+)?s\b.*|\(cached\).*|\[.*\])$/;

interface GoResults {
	readonly errors: UnitError[];
	readonly passed: string[];
	readonly skipped: string[];
	panicked: boolean;
}

interface FailingTest {
	readonly name: string;
	readonly message: string[];
}

function readTests(lines: readonly string[]): GoResults {
	const found: GoResults = { errors: [], passed: [], skipped: [], panicked: false };
	const said = new Map<string, string[]>(); // with -v, messages come before the verdict
	let failing: FailingTest[] = [];
	let current: string | null = null;
	let building: { readonly name: string; readonly message: string[] } | null = null;
	let panic: string[] | null = null;

	for (const line of lines) {
		const [, turn, running = null] = /^=== (RUN|CONT|NAME|PAUSE) +(\S+)$/.exec(line) ?? [];
		if (turn !== undefined) {
			current = turn === "PAUSE" ? null : running;
			continue;
		}
		const [, verdict, test = ""] = /^\s*--- (FAIL|PASS|SKIP): (\S+)/.exec(line) ?? [];
		if (verdict !== undefined) {
			current = null;
			if (verdict === "PASS") found.passed.push(test);
			if (verdict === "SKIP") found.skipped.push(test);
			if (verdict === "FAIL" && failing.length < MAX_ERRORS) {
				const message = said.get(test) ?? [];
				failing.push({ name: test, message });
				current = test;
				said.set(test, message);
			}
			continue;
		}
		const built = /^# (\S+)( \[.*\])?$/.exec(line)?.[1];
		if (built !== undefined) {
			building = { name: built, message: [] };
			continue;
		}
		if (/^panic: /.test(line) && panic === null) {
			panic = [line];
			found.panicked = true;
		}
		const hanging = panic === null ? undefined : /^\s+(Test\S*|Fuzz\S*|Example\S*) \(\S+\)$/.exec(line)?.[1];
		if (hanging !== undefined && failing.length < MAX_ERRORS) failing.push({ name: hanging, message: [] });
		const [, end, name = "", rest = ""] = PACKAGE.exec(line) ?? [];
		if (end !== undefined) {
			if (end === "FAIL") closePackage(found.errors, name, rest, failing, building, panic);
			failing = [];
			if (end === "FAIL" && rest.includes("[build failed]")) building = null;
			panic = null;
			current = null;
			said.clear();
		} else if (building !== null && /^\S+\.go:\d+/.test(line)) building.message.push(line);
		else if (current !== null && /^\s+\S/.test(line)) {
			const own = said.get(current) ?? [];
			if (own.length < 50) own.push(line);
			said.set(current, own);
		}
	}
	const unbuilt = building !== null && building.message.length > 0;
	if (failing.length > 0 || unbuilt) {
		closePackage(found.errors, null, unbuilt ? "[build failed]" : "", failing, building, panic);
	}
	return found;
}

function closePackage(
	errors: UnitError[],
	name: string | null,
	rest: string,
	failing: readonly FailingTest[],
	building: { readonly name: string; readonly message: readonly string[] } | null,
	panic: readonly string[] | null,
): void {
	if (rest.includes("failed]") && failing.length === 0) {
		const unit = name ?? building?.name ?? "build";
		const lines = (building?.message ?? []).map((line) => line.replace(/^(\S+?\.go):\d+(:\d+)?/, "$1"));
		errors.push(
			unitError({ unit, file: unit }, lines, {
				class: rest.includes("setup") ? "setup failed" : "build failed",
				key: lines,
			}),
		);
		return;
	}
	// A test that fails because of its subtest says nothing of its own.
	const leaves = failing.filter(
		(one) => !failing.some((other) => other !== one && other.name.startsWith(`${one.name}/`)),
	);
	for (const one of leaves) errors.push(testError(name, one, panic));
	if (leaves.length === 0) errors.push(unitError({ unit: name ?? "go test", file: name }, panic ?? []));
}

function testError(file: string | null, test: FailingTest, panic: readonly string[] | null): UnitError {
	const lines = test.message.map((line) => line.trim().replace(/^[\w./-]{1,200}\.go:\d+:\s*/, "")).filter(Boolean);
	const message = panic === null ? lines : [...panic.map((line) => line.replace(/ \[recovered.*$/, "")), ...lines];
	const unit = file === null ? test.name : `${file}.${test.name}`;
	const key = message.filter((line) => !/^(Error Trace|Test|goroutine|\S+\.go)\b/.test(line)).slice(0, 6);
	return unitError({ unit, file, name: test.name }, message, { class: panic === null ? null : "panic", key });
}

/** For `go test -json`: the lines that plain `go test` would print, by package. */
function fromJson(lines: readonly string[]): readonly string[] {
	if (!lines.some((line) => line.startsWith('{"') && line.includes('"Action":'))) return lines;
	const outputs = new Map<string, string>();
	for (const line of lines) {
		let event: { Action?: unknown; Package?: unknown; Output?: unknown };
		try {
			event = JSON.parse(line);
		} catch {
			continue;
		}
		if (event === null || event.Action !== "output" || typeof event.Output !== "string") continue;
		const name = String(event.Package ?? "");
		outputs.set(name, (outputs.get(name) ?? "") + event.Output);
	}
	return [...outputs.values()].flatMap((text) => text.split("\n"));
}
