import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { currentFailures, type FailureInput, foldFailures } from "./lifecycle.ts";
import { type Failure, type FailureState, MAX_OPEN, MAX_RESOLVED, NO_FAILURES } from "./types.ts";

type Step = (seq: number) => FailureInput;

const run =
	(command: string, exit: number | null, output = ""): Step =>
	(seq) => ({ kind: "run", command, cwd: "/home/ada/shop", exit, output, seq, handle: `e-${seq}`, ts: seq * 1_000 });
const change =
	(path = "src/a.py"): Step =>
	(seq) => ({ kind: "change", path, seq });
const X = "FAILED tests/a.py::test_x - assert 3 == 4";
const Y = "FAILED tests/b.py::test_y - KeyError: 'k'";
const red = (...units: readonly string[]): string => [...units, `${units.length} failed, 5 passed in 0.1s`].join("\n");
const green = "6 passed in 0.1s";

const given = (...steps: readonly Step[]): FailureState =>
	steps.map((step, i) => step(i + 1)).reduce(foldFailures, NO_FAILURES);
const told = (failures: readonly Failure[]) =>
	failures.map((one) => [one.unit, one.state, one.attempts, one.repeats, one.regressions, one.flaky]);

describe("a failure", () => {
	it("is resolved by a search that names it in the output of a tool that lists every error, and finds nothing", () => {
		const error = (file: string) => `${file}(7,2): error TS2554: Expected 2 arguments, but got 1.`;
		const failed = run("npx tsc --noEmit", 2, `${error("src/cart.ts")}\n${error("src/tax.ts")}`);
		const open = (command: string, exit: number, output: string) =>
			given(failed, change(), run(command, exit, output)).open.map(({ file }) => file);
		const search = 'npx tsc --noEmit 2>&1 | grep -i "Cart\\|basket"';
		assert.deepEqual(open(search, 1, "(no output)"), ["src/tax.ts"]);
		assert.deepEqual(open('npx tsc --noEmit | grep -E "src/(cart|tax)"', 1, ""), ["src/cart.ts", "src/tax.ts"]);
		assert.deepEqual(open("npx tsc --noEmit | grep -v cart", 1, ""), ["src/cart.ts", "src/tax.ts"]);
		assert.deepEqual(open(search, 0, error("src/cart.ts")).length, 2);
		assert.deepEqual(open("npx tsc --noEmit 2>&1 | grep cart | head -3", 1, "").length, 2);
	});

	it("is open from the run that showed it, as attempt 1", () => {
		const state = given(run("pytest tests", 1, red(X)));
		assert.equal(state.open.length, 1);
		const { parts, ...failure } = state.open[0]!;
		assert.deepEqual(failure, {
			id: `bash:pytest tests:${failure.hash}`,
			hash: failure.hash,
			tool: "pytest",
			command: "pytest tests",
			cwd: ".",
			unit: "tests/a.py::test_x",
			file: "tests/a.py",
			name: "test_x",
			class: "AssertionError",
			message: "assert 3 == 4",
			brief: true,
			state: "open",
			exit: 1,
			attempts: 1,
			repeats: 0,
			regressions: 0,
			skipped: 0,
			flaky: false,
			firstSeq: 1,
			firstTs: 1_000,
			lastSeq: 1,
			lastTs: 1_000,
			lastHandle: "e-1",
			resolvedSeq: null,
			resolvedTs: null,
			resolvedHandle: null,
			skippedSeq: null,
			behind: null,
			awaits: parts,
			history: [{ seq: 1, what: "opened" }],
		});
	});

	it("counts every failing run as an attempt, and those without a change before them as repeats", () => {
		const fail = run("pytest", 1, red(X));
		assert.deepEqual(told(given(fail, fail, change(), fail, fail, fail).open), [
			["tests/a.py::test_x", "open", 5, 3, 0, false],
		]);
	});

	it("takes a command that edits files for a change", () => {
		const fail = run("pytest", 1, red(X));
		assert.equal(given(fail, run("sed -i s/3/4/ src/a.py", 0), fail).open[0]!.repeats, 0);
		assert.equal(given(fail, run("cat src/a.py", 0), fail).open[0]!.repeats, 1);
	});

	it("is tracked beside another error of the same test, which stands before it", () => {
		const other = X.replace("assert 3 == 4", "ImportError: no module named tax");
		const state = given(run("pytest", 1, red(X)), change(), run("pytest", 1, red(other)));
		assert.deepEqual(
			state.open.map((one) => [one.class, one.attempts, one.behind]),
			[
				["AssertionError", 1, state.open[1]!.id],
				["ImportError", 1, null],
			],
		);
	});

	it("is resolved with all others of its command by a green run", () => {
		const state = given(run("pytest", 1, red(X, Y)), change(), run("FOO=1 pytest -q", 0, green));
		assert.deepEqual(state.open, []);
		assert.deepEqual(
			told(state.resolved).map((one) => one[1]),
			["resolved", "resolved"],
		);
		assert.equal(state.resolved[0]!.resolvedSeq, 3);
	});

	it("is resolved by a wider green run", () => {
		assert.equal(given(run("pytest tests/a.py", 1, red(X)), change(), run("pytest", 0, green)).open.length, 0);
	});

	it("is resolved by a narrower green run only where that covers it", () => {
		const state = given(run("pytest", 1, red(X, Y)), change(), run("pytest tests/a.py", 0, "1 passed in 0.1s"));
		assert.deepEqual(
			state.open.map((one) => one.unit),
			["tests/b.py::test_y"],
		);
		assert.deepEqual(
			state.resolved.map((one) => one.unit),
			["tests/a.py::test_x"],
		);
	});

	it("is resolved by a script that ran the same tool over everything", () => {
		const vitest = (failed: boolean) =>
			failed
				? " FAIL  src/a.test.ts > adds\nAssertionError: expected 1 to be 2\n\n Test Files  1 failed (1)\n      Tests  1 failed (1)"
				: " Test Files  1 passed (1)\n      Tests  1 passed (1)";
		const state = given(
			run("npx vitest run src/a.test.ts", 1, vitest(true)),
			change(),
			run("npm test", 0, vitest(false)),
		);
		assert.equal(state.open.length, 0);
	});

	it("is resolved by a red run that names everything that failed, and not it", () => {
		const state = given(run("pytest", 1, red(X, Y)), change(), run("pytest", 1, red(Y)));
		assert.deepEqual(
			state.open.map((one) => [one.unit, one.attempts]),
			[["tests/b.py::test_y", 2]],
		);
		assert.deepEqual(
			state.resolved.map((one) => one.unit),
			["tests/a.py::test_x"],
		);
	});

	it("stays open when the red run stopped early or was cut", () => {
		const cut = `${Y}\n2 failed, 4 passed in 0.1s`;
		assert.equal(given(run("pytest", 1, red(X, Y)), change(), run("pytest -x", 1, red(Y))).open.length, 2);
		assert.equal(given(run("pytest", 1, red(X, Y)), change(), run("pytest | tail -2", 0, cut)).open.length, 2);
	});

	it("stays open when another command passes, or the same one elsewhere", () => {
		const fail = run("pytest", 1, red(X));
		for (const other of ["npm test", "pytest tests/b.py", "cd api && pytest", "pytest -k other"]) {
			assert.equal(given(fail, change(), run(other, 0)).open.length, 1, other);
		}
	});

	it("is one failure under a wider and a narrower command", () => {
		const state = given(run("pytest", 1, red(X)), change(), run("pytest tests/a.py", 1, red(X)));
		assert.deepEqual(
			state.open.map((one) => [one.command, one.attempts]),
			[["pytest", 2]],
		);
	});

	it("waits for every command of its line", () => {
		const fail = run("npm run build && npm run pack", 1, "error: disk full");
		assert.equal(given(fail, change(), run("npm run build", 0)).open.length, 1);
		assert.equal(given(fail, change(), run("npm run build", 0), run("npm run pack", 0)).open.length, 0);
		assert.equal(given(fail, change(), run("npm run build && npm run pack", 0)).open.length, 0);
	});

	it("regresses when it comes back, and keeps its history", () => {
		const state = given(
			run("pytest", 1, red(X)),
			change(),
			run("pytest", 0, green),
			change(),
			run("pytest", 1, red(X)),
		);
		assert.deepEqual(told(state.open), [["tests/a.py::test_x", "open", 2, 0, 1, false]]);
		assert.deepEqual(state.open[0]!.history, [
			{ seq: 1, what: "opened" },
			{ seq: 3, what: "resolved" },
			{ seq: 5, what: "regressed" },
		]);
		assert.deepEqual(state.resolved, []);
	});

	it("is flaky when it fails and passes with no change in between, in either order", () => {
		const [fail, pass] = [run("pytest", 1, red(X)), run("pytest", 0, green)];
		assert.equal(given(fail, pass).resolved[0]!.flaky, true);
		assert.equal(given(pass, fail).open[0]!.flaky, true);
		assert.equal(given(fail, change(), pass, fail).open[0]!.flaky, true);
		assert.equal(given(fail, change(), pass).resolved[0]!.flaky, false);
		assert.equal(given(pass, change(), fail).open[0]!.flaky, false);
	});
});

describe("a run", () => {
	it("whose exit is hidden says nothing, unless its output does", () => {
		assert.equal(given(run("./run.sh | tail", 1, "error: x")).open.length, 0);
		assert.equal(given(run("./run.sh || true", 0, "error: x")).open.length, 0);
		assert.equal(given(run("pytest | tail -3", 0, red(X))).open.length, 1);
		assert.equal(given(run("pytest", 1, red(X)), change(), run("pytest | tail -3", 0, green)).open.length, 0);
		assert.equal(given(run('./run.sh > log; echo "exit $?"', 0, "exit 3")).open.length, 1);
		assert.equal(given(run("./run.sh", null, "error: x")).open.length, 0);
	});

	it("of a tool that lists every error has passed when none could be hidden and none is shown", () => {
		const fail = run("npm run check", 1, "src/a.ts(1,2): error TS2322: Type mismatch.");
		const quiet = (filter: string) => given(fail, change(), run(`npm run check 2>&1 ${filter}`, 0, "")).open.length;
		assert.equal(quiet("| tail -5"), 0);
		assert.equal(quiet("| grep 'error TS'"), 0);
		assert.equal(quiet("| grep src/b.ts"), 1);
		assert.equal(quiet("> log; true"), 1);
		assert.equal(given(run("pytest", 1, red(X)), change(), run("pytest | grep error", 1, "")).open.length, 1);
	});

	it("of a chore that works ends the trouble with it", () => {
		const fail = run("git push origin main", 1, "error: failed to push some refs");
		assert.equal(given(fail, run("git push --force-with-lease", 0)).open.length, 0);
		assert.equal(given(fail, run("git commit -m x", 0)).open.length, 1);
	});

	it("that only looks opens nothing", () => {
		for (const look of [
			"grep -rn foo src",
			"ls missing",
			"cat missing | head",
			"test -f x",
			"git diff --exit-code",
			"mkdir a",
		]) {
			assert.equal(given(run(look, 1, "error: no such file")).open.length, 0, look);
		}
	});

	it("that no recogniser knows is resolved by the same command only", () => {
		const fail = run("./deploy.sh prod", 1, "error: no such bucket");
		assert.equal(given(fail, change(), run("./deploy.sh test", 0)).open.length, 1);
		assert.equal(given(fail, change(), run("cd . && ./deploy.sh prod 2>&1", 0)).open.length, 0);
	});

	it("that was interrupted says nothing", () => {
		assert.equal(given(run("npm test", 130, "error: interrupted")).open.length, 0);
	});
});

describe("the state", () => {
	it("keeps the newest 50 resolved and a bounded number of open failures", () => {
		const steps = Array.from({ length: 300 }, (_, i) => run(`./job.sh ${i}`, 1, "error: x"));
		const open = given(...steps);
		assert.deepEqual([open.open.length, open.dropped], [MAX_OPEN, 100]);
		assert.equal(open.open.at(-1)!.command, "./job.sh 299");
		const done = given(...steps.flatMap((step, i) => [step, run(`./job.sh ${i}`, 0)]));
		assert.equal(done.resolved.length, MAX_RESOLVED);
		assert.equal(done.resolved.at(-1)!.command, "./job.sh 299");
	});

	const steps: fc.Arbitrary<Step> = fc.oneof(
		fc.constantFrom(
			change(),
			run("pytest", 1, red(X, Y)),
			run("pytest", 1, red(X)),
			run("pytest", 0, green),
			run("pytest tests/a.py", 0, green),
			run("pytest tests/b.py | tail", 0, red(Y)),
			run("./x.sh && ./y.sh", 1, "error: a"),
			run("./x.sh", 0),
			run("git stash", 0),
			run("ls", 2, "error"),
		),
		fc.tuple(fc.string(), fc.option(fc.integer({ min: 0, max: 255 })), fc.string()).map(([a, b, c]) => run(a, b, c)),
	);

	it("is plain JSON: folding on from a copy gives the same, at every cut", () => {
		fc.assert(
			fc.property(fc.array(steps, { maxLength: 30 }), fc.nat(30), (all, cut) => {
				const inputs = all.map((step, i) => step(i + 1));
				const whole = inputs.reduce(foldFailures, NO_FAILURES);
				const half = JSON.parse(JSON.stringify(inputs.slice(0, cut).reduce(foldFailures, NO_FAILURES)));
				assert.deepEqual(inputs.slice(cut).reduce(foldFailures, half), whole);
			}),
		);
	});

	it("never holds a failure twice, nor one that is both open and resolved", () => {
		fc.assert(
			fc.property(fc.array(steps, { maxLength: 30 }), (all) => {
				const state = given(...all);
				const ids = [...state.open, ...state.resolved].map((one) => one.id);
				assert.equal(new Set(ids).size, ids.length);
				assert.ok(state.open.every((one) => one.state === "open" && one.awaits.length > 0));
			}),
		);
	});
});

describe("a call that was never tried", () => {
	const opens = (command: string, exit: number, output: string) => given(run(command, exit, output)).open.length;

	it("is no failure: the shell did not find its program or its folder, or it only told how it is called", () => {
		assert.equal(opens("deno task build", 127, "zsh:1: command not found: deno"), 0);
		assert.equal(opens("deno task build", 127, "sh: 1: deno: not found"), 0);
		assert.equal(opens("cd web && make all", 1, "/bin/bash: line 1: cd: web: No such file or directory"), 0);
		assert.equal(opens("cd web && make all", 1, "(eval):cd:1: no such file or directory: web"), 0);
		assert.equal(opens("./tool --help", 1, "error: flag: help requested"), 0);
		assert.equal(opens("./tool sync a b c", 2, "too many arguments\nUsage: tool sync SOURCE TARGET"), 0);
		assert.equal(opens("tool.py --fast", 2, "usage: tool.py [-h]\ntool.py: error: unrecognized arguments: --fast"), 0);
	});

	it("is one where a script does not find a program of its own", () => {
		assert.equal(opens("npm test", 127, "> shop@1.0.0 test\n> jest\n\nsh: 1: jest: not found"), 1);
	});

	it("is over when it works from another folder or in another form", () => {
		const refused = run("make all", 2, "make: *** No rule to make target 'all'. Stop.");
		assert.equal(given(refused, run("cd core && make all", 0, "done")).open.length, 0);
		const form = run("./tool sync --json --branch main a", 1, "error: two arguments expected");
		assert.equal(given(form, run("./tool sync --json --branch main a b", 0, "{}")).open.length, 0);
		assert.equal(given(form, run("./tool list", 0, "a")).open.length, 1, "another use of the program");
		const long = Array.from({ length: 30 }, (_, line) => `step ${line}`).join("\n");
		const built = run("make all", 2, `${long}\nmake: *** [all] Error 1`);
		assert.equal(given(built, run("cd core && make all", 0, "done")).open.length, 1, "it did work before it failed");
	});

	it("is left behind when many other commands passed since; a known tool's error is not", () => {
		const others = Array.from({ length: 8 }, (_, n) => run(`node step-${n}.js`, 0, "ok"));
		const odd = run("./probe remote", 1, `connecting\n${"retry\n".repeat(9)}error: no route`);
		assert.equal(given(odd, ...others.slice(1)).open.length, 1);
		assert.equal(given(odd, ...others).open.length, 0);
		assert.equal(given(run("pytest tests", 1, red(X)), ...others).open.length, 1);
		assert.equal(given(odd, odd, odd, ...others).open.length, 1, "tried again and again, it matters");
	});
});

describe("a check whose exit status a pipe hides", () => {
	const lint = run("mise run lint", 1, "a.go:3:1: unused variable (unused)\n1 issues:\n* unused: 1");

	it("passes by the total that it printed", () => {
		assert.equal(given(lint, run("mise run lint | tail -3", 0, "0 issues.\nFinished in 2s")).open.length, 0);
	});

	it("does not, where it also counts an error or ran on other files", () => {
		assert.equal(
			given(lint, run("mise run lint | tail -3", 0, "0 issues.\n[lint:go] ERROR task failed")).open.length,
			1,
		);
		const stashed = run("git stash && mise run lint | tail -3 && git stash pop", 0, "0 issues.");
		assert.equal(given(lint, stashed).open.length, 1);
	});
});

it("of two errors of one unit the newer one is current", () => {
	const [first, second] = ["assert 3 == 4", "KeyError: 'k'"].map((error) =>
		red(`FAILED tests/a.py::test_x - ${error}`),
	);
	const state = given(run("pytest tests", 1, first), change(), run("pytest tests", 1, second));
	assert.equal(state.open.length, 2);
	assert.deepEqual(
		currentFailures(state).map(({ class: kind }) => kind),
		["KeyError"],
	);
});
