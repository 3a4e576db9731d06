import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { EventRecord } from "../../src/log/event/types.ts";
import { handleOf } from "../../src/log/handle.ts";
import { Place } from "./place.ts";

const DEMO = fileURLToPath(new URL("../../demo/session.jsonl", import.meta.url));
const place = new Place();
before(async () => {
	await place.json("import", DEMO, "--project", ".");
});
after(() => place.remove());

interface Report {
	readonly compacted: boolean;
	readonly ended: string;
	readonly leaves: string[];
	readonly model: string;
	readonly history: { readonly depth: number; readonly path: { readonly covered: number; readonly verbatim: number } };
}

test("compact, tree, describe, expand and stats show one history", async () => {
	const done = await place.json<Report>("compact", "--keep", "200");
	assert.deepEqual([done.compacted, done.ended, done.model], [true, "done", "deterministic"]);
	assert.equal(done.history.depth, 1);
	const again = await place.weft("compact", "--keep", "200");
	assert.match(again.out, /nothing to do\. Everything before the tail is summarised\.\n1 summary, depth 1; \d+ % of/);
	assert.match(again.err, /Written without a model/);

	const { log } = await place.json<{ log: { lastWrite: { type: string; host: string } } }>("status");
	assert.deepEqual([log.lastWrite.type, log.lastWrite.host], ["Summary", "weft"]);

	const [leaf] = done.leaves;
	const tree = await place.weft("tree");
	assert.match(
		tree.out,
		new RegExp(
			`├─ ${leaf} D0, ${done.history.path.covered} messages: .*\\n└─ ${done.history.path.verbatim} messages verbatim, from m-`,
		),
	);
	const nested = await place.json<{ nodes: { id: string; children: object[] }[] }>("tree");
	assert.deepEqual(
		nested.nodes.map(({ id }) => id),
		[leaf],
	);

	const described = await place.weft("describe", leaf!);
	assert.match(described.out, /written by deterministic/);
	assert.match((await place.weft("describe")).out, new RegExp(`^${leaf} +0 +\\d+ `, "m"));
	const stats = await place.json<{ history: { summaries: number }[] }>("stats");
	assert.equal(stats.history[0]!.summaries, 1);
	assert.match((await place.weft("stats")).out, /^High waters, twice a day +\d+ +1 +1 +\d+ %/m);
});

test("expand writes the bytes and nothing else to stdout, page by page", async () => {
	const lines = readFileSync(DEMO, "utf8").split("\n");
	const args = ["grep", "highWaters", "--role", "toolResult", "--limit", "1"];
	const { hits } = await place.json<{ hits: { seq: number }[] }>(...args);
	const handle = handleOf(await place.json<EventRecord>("show", String(hits[0]!.seq)));
	assert.match(handle, /^m-[0-9a-f]{12}$/);
	const whole = await place.weft("expand", handle, "--all", "--max-tokens", "200");
	assert.ok(lines.includes(whole.out));
	assert.match(whole.err, new RegExp(`^${handle}: bytes \\d+ to (\\d+) of \\S+\\n$`));
	let joined = "";
	let pages = 0;
	for (let offset: number | null = 0; offset !== null; pages++) {
		const given = ["--offset", String(offset), "--max-tokens", "180"];
		const page: { text: string; next: number | null } = await place.json("expand", handle, ...given);
		joined += page.text;
		offset = page.next;
	}
	assert.equal(joined, whole.out);
	assert.ok(pages > 1);
});

test("recover proves a file whole, names what it found, and fails for what it cannot read", async () => {
	const report = await place.json("recover", DEMO, "--max-tokens", "300");
	assert.deepEqual([report["whole"], report["lines"], report["missing"]], [true, 58, []]);
	assert.ok((report["pages"] as number) > 60);
	const text = await place.weft("recover", DEMO);
	assert.match(
		text.out,
		/^48 messages, 10 other entries and 0 blobs: .*\nAll of 58 lines came back, byte for byte\.\n$/,
	);
	assert.equal((await place.weft("recover", place.file("x.txt", "nothing"))).code, 1);
	assert.equal((await place.weft("recover", "no-such-file")).code, 3);
});

test("a model that no host gives is refused; an id that is not there is not found", async () => {
	const refused = await place.weft("compact", "--model", "anthropic/claude-haiku-4-5");
	assert.equal(refused.code, 4);
	assert.match(refused.err, /cannot ask the model 'anthropic\/claude-haiku-4-5'/);
	for (const id of ["s-ffffffffff", "m-0123456789ab", "nonsense"]) {
		const { code, out, err } = await place.weft("expand", id);
		assert.deepEqual([code, out], [3, ""]);
		assert.match(err, /^weft: /);
	}
	assert.equal((await place.weft("describe", "s-ffffffffff")).code, 3);
	assert.equal((await place.weft("tree", "--session", "nobody")).code, 3);
});
