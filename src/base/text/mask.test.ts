import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { FIRST_INNOCENTS } from "../../../test/fixtures/secrets/first-innocents.ts";
import { FIRST_SECRETS } from "../../../test/fixtures/secrets/first-secrets.ts";
import { SECOND_INNOCENTS } from "../../../test/fixtures/secrets/second-innocents.ts";
import { SECOND_SECRETS } from "../../../test/fixtures/secrets/second-secrets.ts";
import { type Planted, values } from "../../../test/fixtures/secrets/values.ts";
import { maskSecrets } from "./mask.ts";
import { maskStrings } from "./mask-strings.ts";

/** A secret counts as left if this much of it can still be read in one piece. */
const LEFT_CHARS = 12;

const SECRETS = [...FIRST_SECRETS, ...SECOND_SECRETS];
const INNOCENTS = [...FIRST_INNOCENTS, ...SECOND_INNOCENTS];

async function isLeft({ text, secret }: Planted): Promise<boolean> {
	const masked = stripVTControlCharacters(await maskSecrets(text));
	const size = Math.min(secret.length, LEFT_CHARS);
	for (let at = 0; at + size <= secret.length; at++) if (masked.includes(secret.slice(at, at + size))) return true;
	return false;
}

test("the corpus is as large as is said of it", () => {
	assert.ok(SECRETS.length >= 200 && INNOCENTS.length >= 200, `${SECRETS.length} and ${INNOCENTS.length}`);
	assert.ok(new Set(SECRETS.map(({ kind }) => kind.split(/[ ,]/)[0])).size >= 100);
	for (const { kind, text, secret } of SECRETS) {
		const shown = stripVTControlCharacters(text);
		assert.ok(shown.includes(secret) || shown.includes(secret.slice(0, 12)), kind);
	}
});

test("no planted secret is left", async () => {
	const left = await Promise.all(SECRETS.map(async (each) => ((await isLeft(each)) ? each.kind : undefined)));
	assert.deepEqual(
		left.filter((kind) => kind !== undefined),
		[],
	);
});

test("no innocent text is touched", async () => {
	for (const text of INNOCENTS) assert.equal(await maskSecrets(text), text);
});

test("all secrets of one text go, and what stands around them stays", async () => {
	const v = values(3);
	const [github, aws] = [`ghp_${v.alnum(36)}`, `AKIA${v.upper(16)}`];
	assert.equal(await maskSecrets(`先に ${github} 😀 and ${aws} after`), "先に [secret] 😀 and [secret] after");
	const { text } = v.pem("RSA", 4);
	assert.equal(
		await maskSecrets(`before\n${text}\nafter\nDB_PASSWORD=${v.alnum(9)}\n`),
		"before\n[secret]\nafter\nDB_PASSWORD=[secret]\n",
	);
	assert.equal(
		await maskSecrets(`aws_secret_access_key = ${v.b64(40)}\nnext amqps://app:${v.alnum(9)}@db/x`),
		"aws_secret_access_key = [secret]\nnext amqps://app:[secret]@db/x",
	);
});

test("whatever a value begins with, it is masked where its name says what it is", async () => {
	const signs = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".split(""));
	const random = fc.string({ unit: signs, minLength: 14, maxLength: 40 });
	await fc.assert(
		fc.asyncProperty(random, async (value) => {
			fc.pre((value.match(/\d/g)?.length ?? 0) >= 3 && /[a-z]/.test(value) && /[A-Z]/.test(value));
			for (const around of [
				`API_KEY=${value}`,
				`  "clientSecret": "${value}",`,
				`password: ${value}`,
				`redis://app:${value}@host/0`,
				`\u001b[1mexport DB_PASSWORD="\u001b[0m${value}"`,
			]) {
				assert.ok(!(await maskSecrets(around)).includes(value), around);
			}
		}),
		{ numRuns: 30 },
	);
});

test("a comment in the text does not switch the masking off", async () => {
	const token = `ghp_${values(9).alnum(36)}`;
	assert.equal(await maskSecrets(`// secretlint-disable\n${token}`), "// secretlint-disable\n[secret]");
});

test("a long text full of beginnings takes no longer than its length", async () => {
	const starts = [
		"password=",
		"-----BEGIN RSA PRIVATE KEY-----\n",
		"https://a:",
		"\u001b]",
		"Bearer ",
		"mysql -u x ",
		"eyJ",
	];
	for (const start of starts) assert.ok((await maskSecrets(start.repeat(5_000))).length > 0, start);
});

test("a token is found wherever it stands, and the words around it stay", async () => {
	// Ours alone know it: no maintained rule looks for this issuer.
	const token = `pul-${"0123456789abcdef".repeat(3).slice(0, 40)}`;
	for (let before = 0; before <= 45; before++) {
		const [head, tail] = ["ab ".repeat(before).slice(0, before), " é".repeat(before)];
		const text = `${head} ${token}${tail}`;
		assert.equal(await maskSecrets(text), `${head} [secret]${tail}`, `after ${before} characters`);
	}
});

test("a key whose line breaks became blanks is hidden to its end, or as far as it goes", async () => {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
	const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString().trim();
	const line = key.replaceAll("\n", " ");
	assert.equal(await maskSecrets(`use this: ${line} and go on`), "use this: [secret] and go on");
	for (let cut = 40; cut < line.length; cut += 7) {
		for (const end of ["", "…"]) {
			assert.equal(await maskSecrets(`use this: ${line.slice(0, cut)}${end}`), `use this: [secret]${end}`, `${cut}`);
		}
	}
});

test("passwords that only the words around them give away, and tokens that were cut, are hidden", async () => {
	const hidden = [
		"ALTER ROLE ann PASSWORD 'weasel33'",
		"CREATE USER ann LOGIN PASSWORD 'weasel 33'",
		"CREATE USER 'a' IDENTIFIED BY 'weasel33'",
		"db.example.io:5432:prod:ann:weasel33",
		"machine x.example login ann password weasel33",
		"my password is weasel33.",
		"export TOKEN='weasel33def'",
		"call it with ghp_16C7weasel33",
		"call it with sk-ant-weasel33…",
	];
	for (const text of hidden) assert.doesNotMatch(await maskSecrets(text), /weasel/, text);
	const kept = [
		"the password is required",
		"12:30:00:00:01",
		"src/app.ts:12:3:error:found",
		"read eyJ and sk- and hf_",
		"password is read from $PASSWORD1",
		"SELECT passwd FROM users WHERE role = 'admin1'",
	];
	for (const text of kept) assert.equal(await maskSecrets(text), text);
});

test("a field that is called like a secret is hidden whatever it looks like; names of types and placeholders stay", async () => {
	const args = { user: "ann", password: "hunter2", deep: [{ apiKey: "kX9fq27Lmz", db_token: "Tr0ub4dor&3" }] };
	assert.deepEqual(await maskStrings(args), {
		user: "ann",
		password: "[secret]",
		deep: [{ apiKey: "[secret]", db_token: "[secret]" }],
	});
	const innocent = { password: "<password>", token: "string", apiKey: "$API_KEY1", secret: "required", tokens: "12k" };
	assert.equal(await maskStrings(innocent), innocent);
});
