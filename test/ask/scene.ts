/**
 * A project with three sessions of two agents: Pi builds a relay on Monday and fails twice, Codex adds a report on Tuesday, and on
 * Wednesday a young session of Pi asks. Each answer that a test looks for was said or done once.
 */
import { type Engine, openEngine } from "../../src/engine.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import type { SessionRef } from "../../src/log/session-ref.ts";
import {
	assistant,
	decision,
	edit,
	eventsOf,
	failed,
	intent,
	ran,
	type SessionWords,
	sessionStarted,
	user,
	write,
} from "../rig/events.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Wednesday at noon, local time. */
export const NOW = new Date(2026, 2, 18, 12).getTime();

export const MONDAY: SessionRef = { session: "relay-0001", host: "pi" };
export const TUESDAY: SessionRef = { session: "report-0002", host: "codex" };
export const TODAY: SessionRef = { session: "young-0003", host: "pi" };

const QUEUE = "export const sizes = [];\nlet total = 0;\nfor (const size of sizes) total += size;\n";

const RELAY: SessionWords = [
	user("Build a relay in src/queue.js. We decided to use a ring buffer for the queue, because lists grow without end."),
	intent("Build a relay in src/queue.js."),
	write("src/queue.js", QUEUE, "Successfully wrote"),
	failed(
		"npm test",
		"TAP version 13\nnot ok 1 - drains the queue\n  error: |-\n    Expected values to be strictly equal: 3 !== 4\n# tests 1\n# pass 0\n# fail 1",
	),
	assistant("The drain test fails because the buffer forgets its last slot."),
	user("Why += there? Use += in the sum so that sizes of refused messages count too. Never log payloads."),
	edit("src/queue.js", "let total = 0;", "let total = 1;", "Successfully replaced"),
	failed("npm run lint", "src/queue.js:2:5 error 'total' is never read no-unused-vars\n1 problem"),
	ran("npm test", "TAP version 13\nok 1 - drains the queue\n# tests 1\n# pass 1\n# fail 0"),
	ran("git commit -am drain", "[main 1a2b3c4] Drain the queue\n 1 file changed"),
	decision("The relay listens on port 8443.", { rationale: "7443 belongs to the old gateway" }),
	assistant("The relay drains now. Next I will add back-pressure to the intake."),
];

const REPORT: SessionWords = [
	user("Write the weekly report generator in src/report.js."),
	intent("Write the weekly report generator in src/report.js."),
	write("src/report.js", "export function report() {}\n", "Successfully wrote"),
	write("docs/report.md", "# Report\n", "Successfully wrote"),
	assistant("The report generator writes one page per week. Charts are still missing."),
];

const YOUNG: SessionWords = [user("Hello."), assistant("Hello.")];

export interface AskScene extends Disposable {
	readonly engine: Engine;
	readonly project: TemporaryProject;
}

export function askScene(): AskScene {
	const project = new TemporaryProject({ "src/queue.js": QUEUE.replace("total = 0", "total = 1") });
	const { folder: cwd, home } = project;
	const engine = openEngine({ cwd, home, host: "pi", env: {}, now: () => NOW });
	const sessions = [
		{ of: MONDAY, at: NOW - 2 * DAY_MS, words: RELAY },
		{ of: TUESDAY, at: NOW - DAY_MS, words: REPORT },
		{ of: TODAY, at: NOW - HOUR_MS, words: YOUNG },
	];
	for (const { of, at, words } of sessions) {
		const events = eventsOf([sessionStarted(cwd), ...words], cwd);
		engine.record(events.map((event, n): NewEvent => ({ ...event, ...of, ts: at + n * 1_000 }) as NewEvent));
	}
	return {
		engine,
		project,
		[Symbol.dispose]() {
			engine.close();
			project[Symbol.dispose]();
		},
	};
}
