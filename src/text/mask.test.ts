import assert from "node:assert/strict";
import { test } from "node:test";
import { maskSecrets } from "./mask.ts";

// Joined at run time, so that no scanner takes this file for a leak.
const join = (...parts: string[]): string => parts.join("");
const GITHUB = join("ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
const AWS_ID = join("AK", "IA", "QWERTYUIOPASDFGH");
const AWS_SECRET = join("abcdefghij", "ABCDEFGHIJ", "0123456789", "KLMNOPQRST");
const ANTHROPIC = join("sk-", "ant-", "api03-", "x".repeat(93), "AA");
const SLACK = join("xo", "xb-", "123456789012-1234567890123-", "AbCdEfGhIjKlMnOpQrStUvWx");

test("case 80: provider tokens are masked, the text around them stays", async () => {
	for (const secret of [GITHUB, AWS_ID, ANTHROPIC, SLACK]) {
		assert.equal(await maskSecrets(`先に ${secret} 😀 after`), "先に [secret] 😀 after");
	}
	assert.equal(await maskSecrets(`${GITHUB} and ${AWS_ID}`), "[secret] and [secret]");
});

test("case 80: look-alikes, prose, code and git hashes survive", async () => {
	const harmless = [
		"BKIAQWERTYUIOPASDFGH",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJz",
		"The password is kept in the vault, the token beside it.",
		"interface Login { password: string; token: string }",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"",
	];
	for (const text of harmless) assert.equal(await maskSecrets(text), text);
});

test("the whole of an AWS secret key is masked, not the beginning of its assignment", async () => {
	const masked = await maskSecrets(`aws_secret_access_key = ${AWS_SECRET}\nnext`);
	assert.equal(masked, "aws_secret_access_key = [secret]\nnext");
});

test("a comment in the text does not switch the masking off", async () => {
	const masked = await maskSecrets(`// secretlint-disable\n${GITHUB}`);
	assert.equal(masked, "// secretlint-disable\n[secret]");
});
