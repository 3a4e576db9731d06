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
