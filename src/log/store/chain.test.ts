import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { chainedText, chainHash, GENESIS } from "./chain.ts";

const name = fc.string({ unit: "grapheme", minLength: 1 });
const fields = fc.record({
	seq: fc.nat(),
	id: fc.uuid(),
	origin: name,
	session: name,
	host: name,
	ts: fc.integer({ min: -8.64e15, max: 8.64e15 }),
	type: name,
	v: fc.integer(),
	cause: fc.option(fc.nat()),
	entry: fc.option(fc.string({ unit: "binary" }).map((text) => text.toWellFormed())),
});

test("the fields in the chain are the JSON of an array of them, whatever the names hold", () => {
	fc.assert(
		fc.property(fields, (of) => {
			const { seq, id, origin, session, host, ts, type, v, cause, entry } = of;
			assert.equal(chainedText(of), JSON.stringify([seq, id, origin, session, host, ts, type, v, cause, entry]));
		}),
	);
});

test("a hash can be computed by anybody: SHA-256 of the hash before, the fields and the payload, a line each", () => {
	const event = {
		seq: 1,
		id: "01890a5d-ac96-774b-bcce-b302099a8057",
		origin: "here",
		session: 's"1',
		host: "pi",
		ts: 1_700_000_000_000,
		type: "Custom",
		v: 1,
		cause: null,
		entry: "e1",
	};
	const text = `${GENESIS}\n[1,"01890a5d-ac96-774b-bcce-b302099a8057","here","s\\"1","pi",1700000000000,"Custom",1,null,"e1"]\n{"name":"x"}`;
	assert.equal(chainHash(GENESIS, event, '{"name":"x"}'), createHash("sha256").update(text).digest("hex"));
});
