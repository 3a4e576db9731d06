import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandIdentity } from "./identity.ts";

describe("commandIdentity", () => {
	const same: readonly (readonly [name: string, cwd: string, lines: readonly string[]])[] = [
		[
			"pytest tests/a.py",
			"x",
			[
				"cd x && FOO=1 pytest -q tests/a.py 2>&1 | tail -20",
				"cd x; time python3 -m pytest -vv -p no:randomly --tb=short ./tests/a.py",
				"(cd x && timeout 60 poetry run pytest -x -n auto tests/a.py > /tmp/out.log 2>&1)",
				"cd ./x/ && uv run --with foo pytest tests/a.py --seed 42 --color=no | grep -v warn | head -50",
				"bash -lc 'cd x && env CI=1 nice -n 5 .venv/bin/pytest -rA tests/a.py || true'",
				"cd x && pip install -e . && pytest tests/a.py && echo done",
			],
		],
		[
			"vitest src/a.test.ts -t 'adds two'",
			".",
			[
				"npx vitest run src/a.test.ts -t 'adds two'",
				'pnpm exec vitest --run --reporter=verbose src/a.test.ts -t "adds two"',
				"bunx vitest run --reporter dot ./src/a.test.ts --pool forks -t adds\\ two 2>&1 | cat",
				"./node_modules/.bin/vitest src/a.test.ts --coverage -t 'adds two'",
			],
		],
		[
			"npm test",
			".",
			["npm test", "npm run test", "npm t", "npm run -s test --", "CI=1 npm --silent test | tee log.txt"],
		],
		["npm run lint", "packages/a", ["npm --prefix packages/a run lint", "cd packages/a && npm run lint; echo $?"]],
		[
			"go test ./... -run TestX",
			".",
			["go test -v -count=1 ./... -run TestX", "go test -timeout 30s ./... -run TestX -json"],
		],
		[
			"cargo test parse",
			".",
			["cargo test -q parse -- --nocapture", "RUST_BACKTRACE=1 cargo test parse --color always"],
		],
		["make check", "sub", ["make -C sub -j8 check V=1", "cd sub && make -s -k -j 4 check"]],
		[
			"mvn test -Dtest=FooTest",
			".",
			["mvn -B -q clean test -Dtest=FooTest", "mvn test -T 4 -Dtest=FooTest -Dsurefire.useFile=false"],
		],
		["eslint src", ".", ["npx eslint src/ --fix", "eslint --format unix --cache src"]],
		["tsc -p .", ".", ["npx tsc --noEmit -p . --pretty false", "tsc -p ."]],
		["git commit", ".", ["git commit -m 'one thing'", 'git commit -m "$(cat <<EOF\nanother\nEOF\n)"']],
		[
			"npm run build && npm test",
			".",
			["npm run build && npm test", "npm run build; npm test", "npm run build && npm test && npm run build"],
		],
	];
	for (const [name, cwd, lines] of same) {
		for (const line of lines) {
			it(`names \`${line.replaceAll("\n", "⏎")}\` ${name} in ${cwd}`, () => {
				const identity = commandIdentity(line);
				assert.deepEqual([identity.command, identity.cwd], [name, cwd]);
			});
		}
	}

	it("keeps selectors, so that different runs have different names", () => {
		const lines = [
			"pytest",
			"pytest tests/a.py",
			"pytest tests/a.py::test_x",
			"pytest -k login",
			"pytest -k logout",
			"pytest -m slow",
			"pytest --lf",
			"jest -t adds",
			"cargo test -p core",
			"cargo test --lib",
			"go test ./a",
			"go test ./b",
			"go test -race ./a",
			"mvn test -pl core",
			"node a.js",
			"node b.js",
			"python - <<E\n1\nE",
			"python - <<E\n2\nE",
		];
		assert.equal(new Set(lines.map((line) => commandIdentity(line).command)).size, lines.length);
	});

	it("sees folders and paths from where the shell started", () => {
		const identity = commandIdentity("cd api && pytest /home/ada/shop/api/tests/a.py", { cwd: "/home/ada/shop" });
		assert.deepEqual([identity.command, identity.cwd], ["pytest tests/a.py", "/home/ada/shop/api"]);
	});

	const kinds = [
		["cd a && ls -la | head", "looking"],
		["grep -rn foo src", "looking"],
		["git status && git diff", "looking"],
		["command -v gh", "looking"],
		["echo hi", "scenery"],
		["mkdir -p a && cp b a", "handling"],
		["cat > a.txt <<E\nhi\nE", "handling"],
		["sed -i s/a/b/ x", "handling"],
		["git push", "chore"],
		["npm ci", "chore"],
		["npm ci && npm test", "work"],
		["cat a.json | python parse.py", "work"],
	] as const;
	for (const [line, kind] of kinds) {
		it(`takes \`${line.replaceAll("\n", "⏎")}\` for ${kind}`, () => {
			assert.equal(commandIdentity(line).kind, kind);
		});
	}

	it("knows which lines may change files", () => {
		const altering = ["sed -i s/a/b/ x && npm test", "git stash", "npm i left-pad", "echo x > y", "eslint --fix src"];
		const harmless = ["npm test 2>&1 | tail", "git status", "sed -n 1,5p x", "ls > /dev/null"];
		assert.deepEqual(
			altering.map((line) => commandIdentity(line).alters),
			altering.map(() => true),
		);
		assert.deepEqual(
			harmless.map((line) => commandIdentity(line).alters),
			harmless.map(() => false),
		);
	});

	it("names what is no bash by its folded text", () => {
		assert.equal(commandIdentity("Get-ChildItem  (\n 'x").command, "Get-ChildItem ( 'x");
	});

	it("cuts a long command and keeps it distinct by a hash", () => {
		const [a, b] = ["a", "b"].map((end) => commandIdentity(`run ${"word ".repeat(100)}${end}`).command);
		assert.ok(a!.length <= 200 && a!.startsWith("run word"));
		assert.notEqual(a, b);
	});
});
