import assert from "node:assert/strict";
import { test } from "node:test";
import { values } from "../../../test/fixtures/secrets/values.ts";
import { sourceText } from "./source-text.ts";

test("a secret that lies where a long text is cut is masked before the cut", async () => {
	const v = values(11);
	// Every place where the text may be cut holds a key, and half a key is recognised by nobody.
	const keys = Array.from({ length: 4_000 }, () => `AKIA${v.upper(16)}`);
	const text = await sourceText([keys.join(" ")]);
	assert.deepEqual([text.includes("characters left out"), text.match(/[A-Z]\w*/g)], [true, null]);
	const { text: pem, body } = v.pem("RSA", 2_000);
	const cut = await sourceText(["before", pem, "after"]);
	assert.equal(cut, "before\n\n[secret]\n\nafter");
	assert.ok(!body.some((line) => cut.includes(line.slice(0, 20))));
});
