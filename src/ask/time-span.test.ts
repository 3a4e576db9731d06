import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMinute } from "../base/text/time.ts";
import { readTimeSpan } from "./time-span.ts";

/** A Wednesday. */
const NOW = new Date(2026, 2, 18, 12).getTime();

const CASES: readonly (readonly [question: string, since: string | undefined, until?: string])[] = [
	["which files did we change yesterday", "2026-03-17 00:00", "2026-03-18 00:00"],
	["the day before yesterday", "2026-03-16 00:00", "2026-03-17 00:00"],
	["what happened today?", "2026-03-18 00:00", "2026-03-19 00:00"],
	["what did we do last week", "2026-03-09 00:00", "2026-03-16 00:00"],
	["this week", "2026-03-16 00:00", "2026-03-23 00:00"],
	["in the last two hours", "2026-03-18 10:00", "2026-03-18 12:00"],
	["over the past 3 days", "2026-03-15 12:00", "2026-03-18 12:00"],
	["3 days ago", "2026-03-15 00:00", "2026-03-16 00:00"],
	["on Monday", "2026-03-16 00:00", "2026-03-17 00:00"],
	["since Monday", "2026-03-16 00:00", "2026-03-18 12:00"],
	["last Wednesday", "2026-03-11 00:00", "2026-03-12 00:00"],
	["on 2026-02-03", "2026-02-03 00:00", "2026-02-04 00:00"],
	["between 2026-02-03 and 2026-02-05", "2026-02-03 00:00", "2026-02-06 00:00"],
	["before 2026-02-03", "1970-01-01", "2026-02-03 00:00"],
	["which files changed yesterday after 15:00", "2026-03-17 15:00", "2026-03-18 00:00"],
	["what did we do on 2026-02-03 before 9:30?", "2026-02-03 00:00", "2026-02-03 09:30"],
	["last week after 15:00", "2026-03-09 00:00", "2026-03-16 00:00"],
	["on June 17", "2025-06-17 00:00", "2025-06-18 00:00"],
	["on the 3rd of March", "2026-03-03 00:00", "2026-03-04 00:00"],
	["in May 2024", "2024-05-01 00:00", "2024-06-01 00:00"],
	["was haben wir gestern geändert", "2026-03-17 00:00", "2026-03-18 00:00"],
	["昨天改了什么", "2026-03-17 00:00", "2026-03-18 00:00"],
	["may we change the first test?", undefined],
	["why do we march on", undefined],
	["some days ago", undefined],
];

for (const [question, since, until] of CASES) {
	test(`reads the time of "${question}"`, () => {
		const span = readTimeSpan(question, NOW);
		if (since === undefined) return assert.equal(span, undefined);
		assert.ok(span);
		assert.ok(formatMinute(span.since).startsWith(since), formatMinute(span.since));
		assert.equal(formatMinute(span.until), until);
	});
}
