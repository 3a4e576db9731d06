/** Reads patterns from standard input and runs lcm_grep with each over texts made to hang it; prints what came out. */

import { text } from "node:stream/consumers";
import { EVERYONE } from "../../src/state/session/scope.ts";
import { lcmGrep } from "../../src/tool/grep.ts";
import { openHistory, PiSession, START } from "./rig.ts";

using opened = openHistory();
const session = new PiSession(opened.log);
session.user("a".repeat(50_000));
session.user(`${"a".repeat(50_000)}!`);
session.user("x,".repeat(20_000));
session.user(`${"abcdefgh".repeat(5_000)}!`);
session.user("word ".repeat(10_000));
session.user("foobar warning HttpError 10.0.0.1 src/log/append.ts");
const answers: object[] = [];
for (const pattern of JSON.parse(await text(process.stdin)) as string[]) {
	const context = { history: opened.history, session: session.ref, scope: EVERYONE, now: START };
	const { isError, details } = await lcmGrep.run(context, { query: pattern, mode: "regex" });
	answers.push({ pattern, isError: isError ?? false, hits: details["resultCount"], complete: details["complete"] });
}
process.stdout.write(JSON.stringify(answers));
