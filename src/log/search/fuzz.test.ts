import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import type { EventRecord } from "../event/types.ts";
import { Log } from "../log.ts";
import type { SearchDoc } from "../types.ts";

const root = temporaryFolder();

let folders = 0;
function logWith(texts: readonly string[], fullText = true): Log {
	const searchable = (record: EventRecord) => ({ role: "user", text: record.payload["data"] }) as SearchDoc;
	const log = new Log({ folder: join(root, `${++folders}`), origin: "here", searchable, fullText });
	log.append(
		texts.map((data) => ({ type: "Custom", session: "s", host: "test", ts: 0, payload: { name: "n", data } })),
	);
	return log;
}

/** Text as nobody should write it: operators of FTS5, NUL, lone surrogates, scripts and signs of all kinds. */
const nasty = fc.string({
	unit: fc.oneof(
		{ weight: 4, arbitrary: fc.constantFrom(..."abcABC xyz019_-./:\"'*^()[]{}+=><%\\\n\t\0") },
		{
			weight: 2,
			arbitrary: fc.constantFrom(
				" AND ",
				" OR ",
				" NOT ",
				"NEAR(",
				'" "',
				"getUser",
				"body:",
				"\ud83d",
				"\udd25",
				"🔥",
				"👩‍💻",
			),
		},
		fc.constantFrom(..."迁移スト한글𠮷éÉßΣςİǅñ\u0301\u200d\ufe0f\ufffd\u2028ǁ"),
		fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
	),
	maxLength: 40,
});
/** Words as people write them, in scripts that part words by blanks and in one that does not. */
const word = fc.oneof(
	fc.string({ unit: fc.constantFrom(..."abcdefgXYZ"), minLength: 1, maxLength: 12 }),
	fc.stringMatching(/^[0-9]{1,6}$/),
	fc.string({ unit: fc.constantFrom(..."迁移脚本データ한글"), minLength: 1, maxLength: 6 }),
	fc.string({ unit: fc.constantFrom(..."äöüßéñжЖλΣ"), minLength: 1, maxLength: 8 }),
);
const sentence = fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(" "));

test("no query throws, and every hit's marks lie in its snippet", () => {
	const documents = fc.sample(nasty, 60);
	for (const fullText of [true, false]) {
		using log = logWith(documents, fullText);
		fc.assert(
			fc.property(nasty, fc.boolean(), fc.constantFrom("ranked", "recent"), (text, thinking, order) => {
				const { hits, scanned } = log.search.find({ text, thinking, order });
				assert.ok(hits.length <= 20 && scanned <= 60);
				for (const { snippet, ranges } of hits) {
					assert.ok(snippet.isWellFormed());
					for (const { start, end } of ranges) assert.ok(start >= 0 && start < end && end <= snippet.length);
				}
			}),
			{ numRuns: 400 },
		);
		assert.deepEqual(log.search.check(), []);
	}
});

test("every document is found by each of its words, whole", () => {
	fc.assert(
		fc.property(fc.array(sentence, { minLength: 1, maxLength: 6 }), (texts) => {
			using log = logWith(texts);
			for (const [index, text] of texts.entries()) {
				for (const whole of text.split(" ")) {
					const { hits } = log.search.find({ text: whole, limit: 100 });
					const hit = hits.find(({ seq }) => seq === index + 1);
					assert.ok(hit, `${whole} in ${text}`);
					assert.ok(hit.ranges.length > 0, `${whole} is not marked in ${hit.snippet}`);
				}
				const { hits } = log.search.find({ text, limit: 100 });
				assert.ok(
					hits.some(({ seq }) => seq === index + 1),
					text,
				);
			}
		}),
		{ numRuns: 30 },
	);
});

test("every document is found by any three letters or more that stand together in it", () => {
	fc.assert(
		fc.property(
			fc.array(fc.oneof(sentence, nasty), { minLength: 1, maxLength: 6 }),
			fc.nat(),
			fc.nat(),
			(texts, at, more) => {
				using log = logWith(texts);
				for (const [index, text] of texts.entries()) {
					for (const [run] of text.matchAll(/[\p{L}\p{N}]{3,}/gu)) {
						const start = at % (run.length - 2);
						const part = run.slice(start, start + 3 + (more % run.length));
						if (!part.isWellFormed()) continue;
						const { hits } = log.search.find({ text: part, limit: 100 });
						assert.ok(
							hits.some(({ seq }) => seq === index + 1),
							`${part} in ${JSON.stringify(text)}`,
						);
					}
				}
			},
		),
		{ numRuns: 60 },
	);
});

test("no pattern throws anything but bad-pattern, and what it finds it marks", async () => {
	const documents = fc.sample(nasty, 40);
	using log = logWith(documents);
	await fc.assert(
		fc.asyncProperty(nasty, fc.boolean(), async (pattern, ignoreCase) => {
			try {
				const { hits, complete, scanned, total } = await log.search.findRegex({ pattern, ignoreCase, limit: 50 });
				assert.deepEqual([complete, scanned, total], [true, 40, 40]);
				for (const { snippet, ranges } of hits) for (const { end } of ranges) assert.ok(end <= snippet.length);
			} catch (error) {
				assert.ok(error instanceof EngineError && error.code === "bad-pattern", String(error));
			}
		}),
		{ numRuns: 300 },
	);
});

test("a pattern finds with the index what it finds without", async () => {
	const piece = fc.constantFrom(
		"abc",
		"a",
		"[ab]",
		".",
		"bc+",
		"(?:ab|xyz)",
		"\\s",
		"X?",
		"迁移",
		"\\w{2}",
		"(?i:XY)",
		"é",
	);
	const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
	const text = fc.string({
		unit: fc.constantFrom("abc", "bcc", "xyz", "XY", "a", "b", " ", "迁移", "é", "\n"),
		maxLength: 12,
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(text, { minLength: 1, maxLength: 12 }),
			fc.array(pattern, { minLength: 5, maxLength: 5 }),
			async (texts, patterns) => {
				using indexed = logWith(texts);
				using plain = logWith(texts, false);
				for (const source of patterns) {
					const found = (await indexed.search.findRegex({ pattern: source })).hits.map((hit) => hit.seq);
					assert.deepEqual(
						found,
						(await plain.search.findRegex({ pattern: source })).hits.map((hit) => hit.seq),
						source,
					);
				}
			},
		),
		{ numRuns: 30 },
	);
});
