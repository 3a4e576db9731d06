import assert from "node:assert/strict";
import { test } from "node:test";
import { isCheck, runsTests } from "./checks.ts";

test("a command checks the work by its programs and scripts, not by the files that it is given", () => {
	const checks = [
		"npm run test:unit",
		"cd app && go test ./... && gofmt -l app",
		"node --test src/cart.ts",
		"bash scripts/check.sh",
		"mise run fmt && mise run lint",
		"npx tsc --noEmit",
		"python -m pytest tests",
		"ruff format --check src",
	];
	const others = [
		"gofmt -w src/cart_test.go src/tax.go",
		"rtk git add src/cart.test.ts",
		"mytool read docs/test.md",
		"ruff format src",
		"git commit -m test",
		"cat build.log",
	];
	assert.deepEqual(
		checks.filter((command) => !isCheck(command)),
		[],
	);
	assert.deepEqual(others.filter(isCheck), []);
	assert.ok(runsTests("npm test") && !runsTests("npm run build") && !runsTests("tsc src/cart.test.ts"));
});
