import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { TableFolds } from "../log/fold/table-folds.ts";
import { Log } from "../log/log.ts";
import { sessionFold } from "../state/session/session-fold.ts";
import { readPlanWindows, renderPlanWindows } from "./plan-windows.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-plan-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const NOON = new Date(2026, 0, 5, 12).getTime();

test("the windows of a subscription are those of the newest answer, whenever its session was imported", () => {
	using log = new Log({ folder, origin: "here", projection: () => new TableFolds([sessionFold]) });
	assert.equal(readPlanWindows(log), undefined);
	log.append([told("new", NOON, 16), told("new", NOON + 1, null), told("old", NOON - 86_400_000, 90)]);
	const found = readPlanWindows(log);
	assert.deepEqual(found?.windows, [
		{ minutes: 300, used: 0.16, resets: NOON },
		{ minutes: 10_080, used: 0.5, resets: null },
	]);
	assert.equal(
		renderPlanWindows(found),
		"codex, plan pro, on 2026-01-05 12:00: 16.0 % of 5 hours used, until 2026-01-05 12:00; 50.0 % of 7 days used",
	);
});

function told(session: string, ts: number, percent: number | null) {
	const secondary = percent === null ? null : { used_percent: 50, window_minutes: 10_080 };
	const primary =
		percent === null ? null : { used_percent: percent, window_minutes: 300, resets_at: Math.round(NOON / 1000) };
	const raw = { type: "event_msg", payload: { rate_limits: { plan_type: "pro", primary, secondary } } };
	return {
		type: "Entry" as const,
		session,
		host: "codex",
		ts,
		entry: `${session}${ts}`,
		payload: { kind: "event_msg", raw },
	};
}
