import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { openEngine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { HistoryGuidelines } from "./history-guidelines.ts";

const session = { session: "s", host: "pi" };

test("counts change only with a seal that no request has followed, a new process says the same, and the WAL is emptied", async () => {
	const folder = mkdtempSync(join(tmpdir(), "weft-guidelines-"));
	const engine = openEngine({ cwd: folder, host: "pi", home: join(folder, "home"), env: {} });
	try {
		const { history, log } = engine;
		let entries = 0;
		const say = (count: number) => {
			for (let n = 0; n < count; n++) {
				const parentId = entries === 0 ? null : `e${entries}`;
				const id = `e${++entries}`;
				const message = { role: "user", content: [{ type: "text", text: "word ".repeat(400) }] };
				const raw = JSON.stringify({ type: "message", id, parentId, message });
				const links = { role: "user", form: "pi", parent: parentId ?? undefined } as const;
				log.append([{ type: "Message", ...session, ts: entries, entry: id, payload: links, raw } as NewEvent]);
			}
		};
		const note = (type: string, payload: object) => log.append([{ type, ...session, ts: 0, payload } as NewEvent]);
		const prompt = () => note("UserIntent", { text: "go on" });
		const seal = () => {
			const arithmetic = { regret: 0, price: 0, floor: 0 };
			const account = { from: "e1", why: "asked", arithmetic, tokensBefore: 2, tokensAfter: 1, left: 1, sections: [] };
			return note("Seal", account);
		};
		const predicted = { read: 0, write: 0, input: 0 };
		const request = () =>
			note("Request", { request: "r", segments: [], kept: 0, items: [], reasons: [], difference: null, predicted });
		const lived = new HistoryGuidelines();
		const lines = () => {
			const said = lived.lines(history, session);
			assert.deepEqual(new HistoryGuidelines().lines(history, session), said, "as a new process says it");
			return said;
		};
		say(30);
		prompt();
		assert.deepEqual(lines(), []);
		const { compacted } = await engine.compact({ session, settings: { leafChunkTokens: 2_000, keepTokens: 2_000 } });
		assert.ok(compacted);
		await nextTick();
		assert.equal(statSync(`${log.path}-wal`).size, 0, "after a compaction, off the session's path");
		seal();
		const first = lines();
		assert.match(
			first[0]!,
			/^At the last seal the history held 30 messages; \d+ summaries \(depth \d\) stand for what had left\.$/,
		);
		prompt();
		request();
		say(12);
		assert.deepEqual(lines(), first, "between seals");
		seal();
		request();
		prompt();
		assert.deepEqual(lines(), first, "the prefix after that seal has been sent");
		seal();
		say(1);
		assert.match(lines()[0]!, /^At the last seal the history held 42 messages/);
	} finally {
		engine.close();
		rmSync(folder, { recursive: true });
	}
});
