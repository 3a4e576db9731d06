import assert from "node:assert/strict";
import { test } from "node:test";
import { event, eventsOf } from "../../../test/rig/events.ts";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { TableFolds } from "../../log/fold/table-folds.ts";
import { Log } from "../../log/log.ts";
import { listSessions } from "./find-session.ts";
import { sessionFold } from "./session-fold.ts";

test("a session begins with its first event that has a time, whether its events come together or one by one", (t) => {
	const folder = temporaryFolder();
	const log = new Log({ folder, origin: "here", projection: () => new TableFolds([sessionFold]) });
	t.after(() => log.close());
	const said = (session: string, ts: number, entry: string) =>
		eventsOf([event("Message", { role: "user" }, { session, ts, entry })]);
	const times = [0, 7_000, 5_000, 0];
	log.append(times.flatMap((ts, at) => said("together", ts, `t${at}`)));
	for (const [at, ts] of times.entries()) {
		log.append(said("one by one", ts, `o${at}`));
		listSessions(log);
	}
	log.append(said("timeless", 0, "n"));
	const firsts = Object.fromEntries(listSessions(log).map((row) => [row.session, row.first_ts]));
	assert.deepEqual(firsts, { together: 5_000, "one by one": 5_000, timeless: 0 });
});

test("a session is called what the user or the agent named it, or else by the first words that ask for something", (t) => {
	const log = new Log({ folder: temporaryFolder(), origin: "here", projection: () => new TableFolds([sessionFold]) });
	t.after(() => log.close());
	let entries = 0;
	const add = (session: string, type: "UserIntent" | "Entry" | "Message", payload: object) => {
		log.append(eventsOf([event(type, payload as never, { session, entry: `e${++entries}` })]));
		if (session.endsWith("by one")) listSessions(log);
	};
	for (const each of ["named", "named one by one"]) {
		add(each, "UserIntent", { text: "can you look at the parcels" });
		add(each, "Entry", { kind: "custom-title", raw: { type: "custom-title", customTitle: "Parcels" } });
		add(each, "Entry", { kind: "ai-title", raw: { type: "ai-title", aiTitle: "Look at parcels" } });
	}
	add("renamed", "Entry", { kind: "session_info", raw: { type: "session_info", name: "first" } });
	add("renamed", "Entry", { kind: "session_info", raw: { type: "session_info", name: "second" } });
	add("unnamed", "Entry", { kind: "session", raw: { info: { title: "New session - 2026-07-16T20:03:45.858Z" } } });
	add("unnamed", "UserIntent", { text: "/mode" });
	add("unnamed", "UserIntent", { text: "fix the index" });
	add("unnamed", "UserIntent", { text: "and the tests" });
	add("plan", "UserIntent", { text: "Implement the following plan: # Cache the index ## Why It is slow." });
	add("parent/child", "Message", { form: "pi", raw: { message: { role: "user", content: "<context>x</context>" } } });
	add("parent/child", "Message", { form: "pi", raw: { message: { role: "user", content: "count the zones" } } });
	const titles = Object.fromEntries(listSessions(log).map((row) => [row.session, row.title]));
	assert.deepEqual(titles, {
		named: "Parcels",
		"named one by one": "Parcels",
		renamed: "second",
		unnamed: "fix the index",
		plan: "Cache the index",
		"parent/child": "count the zones",
	});
});
