import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { NORMALISER_VERSION, normalise } from "./fingerprint.ts";

describe("normalise", () => {
	const out: readonly (readonly [what: string, text: string, normalised: string])[] = [
		["paths under a root", "open '/home/ada/shop/src/a.ts'", "open 'src/a.ts'"],
		["other paths", "/usr/lib/python3/ssl.py and /home/bo/x/a.js", "<abs>/ssl.py and <abs>/a.js"],
		["paths of Windows", "C:\\Users\\ada\\shop\\a.cs is missing", "<abs>/a.cs is missing"],
		["temporary folders", "no /tmp/tmpab12cd34 nor /var/folders/x1/y2/T/out.json", "no <tmp> nor <tmp>/out.json"],
		["addresses", "<Cart object at 0x7f31ac04d0> Cart@1b6d3586", "<Cart object at <addr>> Cart@<addr>"],
		["UUIDs", "request 0198f3a1-7c1e-7b2a-9d4f-00000000abcd failed", "request <uuid> failed"],
		["times and dates", "2026-01-02T03:04:05.678Z 2026-01-02 12:13:14,5 Nov 15 2026", "<time> <time> <date>"],
		["clocks", "[10:11:12] refused", "[<time>] refused"],
		[
			"durations",
			"timed out after 5000ms (1.2 s, 3 minutes, 1m 30s)",
			"timed out after <duration> (<duration>, <duration>, <duration>)",
		],
		["long hex", "blob 9f8e7d6c5b4a3928 is missing", "blob <hex> is missing"],
		["line and column", "src/a.ts:12:5 src/b.py:3 c.cs(12,5) d.java:[1,2]", "src/a.ts src/b.py c.cs d.java"],
		["line in words", 'File "a.py", line 12, column 3', 'File "a.py", line, column'],
		[
			"ports",
			"localhost:4312 127.0.0.1:80 :::3000 port 8080",
			"localhost:<port> 127.0.0.1:<port> :::<port> port <port>",
		],
		[
			"processes and threads",
			"pid 4242, (node:99) goroutine 7, worker 3",
			"pid <id>, (node <id>) goroutine <id>, worker <id>",
		],
		["seeds", "Randomized with seed 4242", "Randomized with seed <seed>"],
		["rulers and white space", "=====  a\t\tb  ----------", "a b"],
	];
	for (const [what, text, normalised] of out) {
		it(`takes out ${what}`, () => assert.equal(normalise(text, { roots: ["/home/ada/shop"] }), normalised));
	}

	const kept = [
		"expected 3, got 4",
		"Expected: 121 Received: 120.5",
		"status 404 for GET /api/users",
		"exit code 2",
		"0x10 !== 0x20",
		"index out of range [5] with length 3",
		"column user_id does not exist",
		"version 1.2.3 is not 1.2.4",
		"https://example.org/a/b failed",
		"deadbeef is not cafebabe",
		"12345678901234 rows",
	];
	for (const text of kept) it(`leaves \`${text}\` as it is`, () => assert.equal(normalise(text), text));

	it("has nothing more to take out of what it gave", () => {
		for (const [, text] of out) assert.equal(normalise(normalise(text)), normalise(text, {}));
	});

	it("takes linear time, whatever is repeated", { timeout: 30_000 }, () => {
		fc.assert(
			fc.property(fc.constantFrom(..."/\\:.-=1a[(@x ", "a/", "1:", "0x1", "1m ", "ab1", "~/"), (piece) => {
				normalise(piece.repeat(1_000_000 / piece.length));
			}),
		);
	});

	it("is version 1", () => assert.equal(NORMALISER_VERSION, 1));
});
