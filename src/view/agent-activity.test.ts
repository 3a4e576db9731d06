import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import type { NewEvent } from "../log/event/types.ts";
import { Log } from "../log/log.ts";
import { checkActivity } from "./agent-activity.ts";

const NOW = Date.UTC(2026, 10, 15);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

test("each agent has its last sight and its last error; a fresh error wants attention", () => {
	const seen = (host: string, ago: number): NewEvent => {
		const payload = { text: "go" };
		return { type: "UserIntent", session: host, host, ts: NOW - ago, payload };
	};
	const failed = (host: string, ago: number): NewEvent => {
		const payload = { where: "hook Stop", code: "locked", message: "busy\nagain" };
		return { type: "Fault", session: host, host, ts: NOW - ago, payload };
	};
	using log = new Log({ folder: temporaryFolder(), origin: "here", now: () => NOW });
	log.append([
		failed("codex", 5 * MINUTE_MS),
		seen("codex", 3 * MINUTE_MS),
		failed("pi", 3 * DAY_MS),
		seen("pi", 2 * DAY_MS),
		seen("opencode", 0),
		seen("cli", 0),
	]);
	assert.deepEqual(checkActivity(log, NOW), [
		{
			name: "codex",
			level: "warn",
			says: "last seen 3 minutes ago; last error 5 minutes ago: hook Stop: busy again",
			todo: "'weft log --type Fault' shows all of them; the agent went on",
		},
		{ name: "opencode", level: "ok", says: "last seen just now; no errors" },
		{ name: "pi", level: "ok", says: "last seen 2 days ago; last error 3 days ago: hook Stop: busy again" },
	]);
});
