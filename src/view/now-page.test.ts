import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { eventsOf, fileRead, OF, seal, user } from "../../test/rig/events.ts";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { openEngine } from "../engine.ts";
import { viewNow } from "./now-page.ts";
import { SessionRequests } from "./requests.ts";

test("the page names what the agent read again soon after a seal", async () => {
	const folder = temporaryFolder();
	const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "pi", env: {} });
	const look = async () =>
		(await viewNow(engine, new SessionRequests(engine.history, OF), OF, { now: 0 })).view.readAgain;
	const read = fileRead("a.ts", { from: 1, to: 100 });
	try {
		engine.log.append(eventsOf([user("Mend the parser."), read, seal()]));
		assert.equal(await look(), null);
		engine.log.append(eventsOf([read]).map((each) => ({ ...each, entry: "again" })));
		assert.equal(await look(), "1 file, ~1,200 tokens, soon after 1 seal: the next seal waits longer");
	} finally {
		engine.close();
	}
});
