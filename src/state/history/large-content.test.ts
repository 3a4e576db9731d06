import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { stubLarge } from "./large-content.ts";

const text = `# Title\n\n${"Some words about the matter.\n".repeat(4_000)}\n## End\n`;

test("a text above the threshold becomes a stub with kind, size, outline and handle; its bytes are stored", () => {
	const stored: Buffer[] = [];
	const store = (bytes: Uint8Array) => {
		stored.push(Buffer.from(bytes));
		return hash("sha256", bytes, "hex");
	};
	const bounded = stubLarge(text, { store, path: "notes.md" });
	assert.ok(bounded.stubbed);
	assert.equal(stored[0]!.toString(), text);
	assert.equal(bounded.handle, `b-${bounded.hash.slice(0, 12)}`);
	assert.equal(
		bounded.text,
		`[Large content of notes.md (markdown): 116 kB, about 36,256 tokens, 4,004 lines. It is kept whole as ${bounded.handle}; this is its outline.]
L1 @0 # Title
L4004 @116010 ## End
[Read it with lcm_expand({"summary_id": "${bounded.handle}", "offset": 0}); a number after @ is an offset to begin at.]`,
	);
});

test("a text at the threshold passes as it is", () => {
	const store = () => assert.fail("nothing is stored");
	assert.deepEqual(stubLarge("small", { store }), { stubbed: false, text: "small" });
	const exact = "x".repeat(80_000);
	assert.equal(stubLarge(exact, { store }).stubbed, false);
	assert.throws(
		() =>
			stubLarge(`${exact}xxxx`, {
				store,
				onFailure: (error) => {
					throw error;
				},
			}),
		/nothing is stored/,
	);
});

test("75: when the bytes cannot be written, the original passes through", () => {
	const failures: unknown[] = [];
	const store = () => {
		throw new Error("disk full");
	};
	const bounded = stubLarge(text, { store, onFailure: (error) => failures.push(error) });
	assert.deepEqual(bounded, { stubbed: false, text });
	assert.match(String(failures[0]), /disk full/);
});

test("half a surrogate pair could not come back: such a text passes as it is", () => {
	const broken = `${"x".repeat(100_000)}\ud83d`;
	assert.equal(stubLarge(broken, { store: () => assert.fail() }).stubbed, false);
});
