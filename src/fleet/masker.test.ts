import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { handleOf } from "../log/handle.ts";
import type { StoredRecord } from "../log/read.ts";
import { readExcludes } from "./exclude.ts";
import { exactMasker, secretMasker } from "./masker.ts";

const TOKEN = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
const KEY = Buffer.alloc(32, 7);
const noBlobs = () => undefined;

function stored(payload: object, text = JSON.stringify(payload)): StoredRecord {
	return {
		seq: 1,
		id: "i",
		origin: "o",
		session: "s",
		host: "pi",
		ts: 1,
		type: "Custom",
		v: 1,
		cause: null,
		entry: null,
		hash: "h",
		text,
	};
}

test("an event without a credential leaves byte for byte; one with it is masked, and only that", async () => {
	const exact = '{"name":"n","n":1.0,"raw":{"b":1,"a":"\\u00e9"}}';
	const [plain, secret] = await secretMasker(
		noBlobs,
		KEY,
	)([stored({}, exact), stored({ name: "n", data: `token ${TOKEN} end` })]);
	assert.deepEqual([plain!.text, plain!.isMasked], [exact, false]);
	assert.deepEqual([secret!.text, secret!.isMasked], ['{"name":"n","data":"token [secret] end"}', true]);
	const [open] = await exactMasker(noBlobs)([stored({ name: TOKEN })]);
	assert.deepEqual([open!.text.includes(TOKEN), open!.isMasked], [true, false]);
});

test("the hash of a text that may be short is keyed: equal ones stay equal, and nobody can try them out", async () => {
	const pin = hash("sha256", "PIN=1234");
	const payload = { sliceHash: pin, items: [{ hash: pin.slice(0, 16) }], raw: { sha256: pin }, head: pin };
	const [one, other] = await secretMasker(noBlobs, KEY)([stored(payload), stored(payload)]);
	const { sliceHash, items, raw, head } = one!.payload as typeof payload;
	assert.notEqual(sliceHash, pin);
	assert.match(sliceHash, /^[0-9a-f]{64}$/);
	assert.equal(items[0]!.hash.length, 16);
	assert.notEqual(items[0]!.hash, pin.slice(0, 16));
	assert.deepEqual([raw.sha256, head], [pin, pin], "what the host wrote, and what is no hash of a text, stays");
	assert.equal(one!.text, other!.text);
	const [elsewhere] = await secretMasker(noBlobs, Buffer.alloc(32, 8))([stored(payload)]);
	assert.notEqual(elsewhere!.text, one!.text);
});

test("a masked blob has the name of what leaves; one that needs no mask keeps its own", async () => {
	const bytes = new Map(
		[Buffer.from(`x ${TOKEN}`), Buffer.from("plain"), Buffer.from([0, 255, 1])].map((each) => [
			hash("sha256", each),
			each,
		]),
	);
	const payloads = [...bytes.keys()].map((blob) => stored({ name: "n", blob }));
	const leaving = await secretMasker((name) => bytes.get(name), KEY)(payloads);
	for (const [at, { blobs, payload }] of leaving.entries()) {
		const left = blobs[0]!.bytes()!;
		assert.equal(hash("sha256", left), blobs[0]!.name);
		assert.equal(payload["blob"], blobs[0]!.name);
		assert.equal(left.includes(TOKEN), false);
		assert.equal(blobs[0]!.name === [...bytes.keys()][at], at > 0);
	}
	const [lost] = await secretMasker(noBlobs, KEY)([stored({ name: "n", blob: "ab".repeat(32) })]);
	assert.equal(lost!.text.includes("ab".repeat(32)), false);
});

test("names that are made from a text leave as others, the same wherever they are written", async () => {
	const [inner, plain] = [Buffer.from(`PASS=${TOKEN}`), Buffer.from("nothing to hide")];
	const outer = Buffer.from(`see b-${hash("sha256", inner).slice(0, 12)}`);
	const bytes = new Map([inner, plain, outer].map((each) => [hash("sha256", each), each]));
	const [secret, open, around] = [...bytes.keys()].map((name) => `b-${name.slice(0, 12)}`);
	const entry = `oc:${hash("sha256", TOKEN).slice(0, 20)}`;
	const message = { ...stored({ items: [{ id: entry }] }), type: "Message", entry };
	const own = handleOf(message);
	const uuid = `01234567-89ab-4cde-8f0${secret}`;
	const text = `\n${secret} ${open} (${around}), ${own}, b-${"0".repeat(12)}, ${uuid}`;
	const [named, telling, blob] = await secretMasker((name) => bytes.get(name), KEY, {
		blobs: (start) => [...bytes.keys()].filter((name) => name.startsWith(start)),
		event: (handle) => (handle === own ? message : undefined),
	})([message, stored({ data: text, raw: { text } }), stored({ blob: [...bytes.keys()][0] })]);
	assert.match(named!.record.entry!, /^oc:[0-9a-f]{20}$/);
	assert.notEqual(named!.record.entry, entry);
	assert.deepEqual(named!.payload, { items: [{ id: named!.record.entry }] });
	const { data, raw } = telling!.payload as { data: string; raw: { text: string } };
	assert.equal(raw.text, data);
	const masked = `b-${blob!.blobs[0]!.name.slice(0, 12)}`;
	const [, first, second, third, event, unknown] =
		/^\n(b-\w{12}) (b-\w{12}) \((b-\w{12})\), (m-\w{12}), (b-\w{12}), /.exec(data) ?? [];
	assert.deepEqual([first, second, event], [masked, open, handleOf(named!.record)]);
	assert.equal(third, `b-${hash("sha256", `see ${masked}`).slice(0, 12)}`);
	assert.notEqual(unknown, `b-${"0".repeat(12)}`);
	assert.equal(data.endsWith(uuid), true);
});

test("names that are made of a text's hash are keyed, and the handle of an output follows its masked name", async () => {
	const whole = Buffer.from(`DB_PASSWORD=Zx9qtiger77\n${"line\n".repeat(50)}`);
	const name = hash("sha256", whole);
	const blobs = (start: string) => (name.startsWith(start) ? [name] : []);
	const mask = secretMasker((of) => (of === name ? whole : undefined), KEY, { blobs, event: () => undefined });
	const shown = { raw: { text: `left out, lcm_expand("b-${name.slice(0, 12)}"), and b-0123456789ab` }, blob: name };
	const entry = "sha256:82b6c9f2178bd444";
	const child = { ...stored({ parent: entry, note: "sha256:0123" }), entry: "line 7 82b6c9f2178b" };
	const [output, line] = await mask([{ ...stored(shown), entry }, child]);
	const left = output!.blobs[0]!;
	assert.notEqual(left.name, name);
	const text = (output!.payload["raw"] as { text: string }).text;
	assert.ok(text.includes(`"b-${left.name.slice(0, 12)}"`), "it is fetched by what the model reads");
	assert.doesNotMatch(text, /b-0123456789ab/, "one that is not here tells nothing");
	assert.match(output!.record.entry!, /^sha256:[0-9a-f]{16}$/);
	assert.notEqual(output!.record.entry, entry);
	assert.equal(line!.payload["parent"], output!.record.entry, "equal names stay equal");
	assert.equal(line!.payload["note"], "sha256:0123");
	assert.match(line!.record.entry!, /^line 7 (?!82b6c9f2178b)[0-9a-f]{12}$/);
});

test("a rule by path keeps back whole outputs that do not say what they are of, and those that name the path", () => {
	const excludes = readExcludes(["path:private/"], new Set());
	const blob = "a".repeat(64);
	const output = (data: object) => [stored({ name: "bounded", data, blob })];
	assert.equal(excludes(output({ tool: "bash" })), true);
	assert.equal(excludes(output({ tool: "bash", of: "cat private/list.csv" })), true);
	assert.equal(excludes(output({ tool: "bash", of: "cat public.csv" })), false);
	assert.equal(readExcludes([], new Set())(output({ tool: "bash" })), false);
});
