import assert from "node:assert/strict";
import { test } from "node:test";
import { senderOf } from "./translate.ts";

const by = (senderName: string, senderId: string) =>
	senderOf({ role: "user", content: "hello", __openclaw: { senderName, senderId } });

test("two members of a group never have one mark, whatever name they choose and whatever their ids look like", () => {
	const ids = [
		"5551005001",
		"5551005002",
		"@anna:example.org",
		"@mallory:example.org",
		"@anna:example.net",
		"491761234567@s.whatsapp.net",
		"491769999999@s.whatsapp.net",
		"anna!a@host.example",
		"mallory!a@host.example",
		"👤 one",
		"👤 two",
	];
	const marks = ids.map((id) => by("Anna", id));
	assert.equal(new Set(marks).size, ids.length, marks.join(", "));
	assert.equal(by("Anna", "5551005001"), "Anna (51005001)");
	assert.match(by("Anna", "@anna:example.org") ?? "", /^Anna \(anna [0-9a-f]{6}\)$/);
	assert.notEqual(by("Anna (51005001)", "@mallory:example.org"), by("Anna", "5551005001"));
	assert.equal(
		senderOf({ role: "user", content: "hello", __openclaw: { senderName: "Anna (51005001)" } }),
		"Anna 51005001",
	);
	assert.equal(senderOf({ role: "user", content: "hello" }), undefined);
});
