import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandIdentity } from "../../../base/shell/identity.ts";
import { covers, coversUnit } from "./cover.ts";

const words = (line: string): readonly string[] => commandIdentity(line).parts[0]!.words;

describe("covers", () => {
	const yes = [
		["pytest", "pytest tests/a.py"],
		["pytest", "pytest -k login tests"],
		["pytest tests", "pytest tests/a.py::test_x"],
		["pytest tests/a.py", "pytest tests/a.py::test_x"],
		["pytest .", "pytest tests"],
		["pytest tests/a.py tests/b.py", "pytest tests/b.py"],
		["go test ./...", "go test ./cart"],
		["go test ./api/...", "go test ./api/user"],
		["cargo test", "cargo test cart::sums"],
		["cargo test", "cargo test -p core"],
		["npx vitest run", "npx vitest run src/a.test.ts -t adds"],
		["npm test", "npm test -- src/a.test.ts"],
		["npm run lint", "npm run lint -- src"],
		["eslint src", "eslint src/a.js"],
		["mvn verify", "mvn test"],
		["node build.js", "node build.js"],
	] as const;
	const no = [
		["pytest tests/a.py", "pytest"],
		["pytest tests/a.py", "pytest tests/ab.py"],
		["pytest -k login", "pytest -k logout"],
		["pytest -k login", "pytest"],
		["go test ./cart", "go test ./..."],
		["go test -short ./...", "go test ./..."],
		["npm test", "npm run lint"],
		["npm run a", "npm run b"],
		["make", "make test"],
		["node build.js", "node build.js --watch"],
		["mvn test", "mvn verify"],
		["cargo build", "cargo test"],
		["tsc -p a", "tsc -p b"],
	] as const;
	for (const [wide, narrow] of yes)
		it(`says that ${wide} covers ${narrow}`, () => assert.equal(covers(words(wide), words(narrow)), true));
	for (const [wide, narrow] of no)
		it(`says that ${wide} does not cover ${narrow}`, () => assert.equal(covers(words(wide), words(narrow)), false));
});

describe("coversUnit", () => {
	const py = { unit: "tests/a.py::TestA::test_x", file: "tests/a.py", name: "TestA::test_x" };
	const js = { unit: "src/a.test.ts > cart > adds", file: "src/a.test.ts", name: "cart > adds" };
	const go = { unit: "example.org/shop/cart.TestSum", file: "example.org/shop/cart", name: "TestSum" };
	const rs = { unit: "cart::sums", file: null, name: "cart::sums" };
	const cases = [
		["pytest tests/a.py", py, true],
		["pytest tests/a.py::TestA", py, true],
		["pytest tests/a.py::TestA::test_x", py, true],
		["pytest tests/a.py::TestB", py, false],
		["pytest tests/b.py", py, false],
		["pytest -k test_x", py, true],
		["pytest -k test_other", py, false],
		["pytest -m slow", py, false],
		["npm test", js, true],
		["vitest src/a.test.ts", js, true],
		["vitest a.test", js, true],
		["vitest -t 'cart adds'", js, true],
		["vitest -t sub src/a.test.ts", js, false],
		["go test ./cart", go, true],
		["go test ./...", go, true],
		["go test ./mail", go, false],
		["go test -run ^TestSum$ ./cart", go, true],
		["cargo test sums", rs, true],
		["cargo test mail", rs, false],
		["node run.js", js, false],
	] as const;
	for (const [line, unit, covered] of cases) {
		it(`says that a green \`${line}\` ${covered ? "ran" : "did not run"} ${unit.unit}`, () => {
			assert.equal(coversUnit(words(line), unit), covered);
		});
	}
});
