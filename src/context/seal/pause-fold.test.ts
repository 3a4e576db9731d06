import { test } from "node:test";
import { commandRun, event, fileChanged, intent, toolCalled } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { type PauseState, pauseFold, pauseIn } from "./pause-fold.ts";

const call = toolCalled("read");
const edit = fileChanged("a.ts");
const tested = event("TestStatus");
const pause = (state: PauseState) => pauseIn(state, "s");

test("a test, a build, a commit and a word of the user are a pause; looking around is not", () => {
	given(call, tested).when(pauseFold, pause).then("rest");
	given(call, commandRun("npm run build 2>&1 | tail -5")).when(pauseFold, pause).then("rest");
	given(call, commandRun("git add -A && git commit -m 'Sort tides'")).when(pauseFold, pause).then("rest");
	given(call, edit, intent("go on")).when(pauseFold, pause).then("rest");
	for (const command of ["cat test/tides.test.ts", "git status", "ls build", "node scripts/tides.ts"]) {
		given(call, commandRun(command))
			.when(pauseFold, (state) => [command, pause(state)])
			.then([command, "work"]);
	}
});

test("right after an edit is no pause, whatever ran beside it", () => {
	given(call, call, edit, tested, commandRun("npm test")).when(pauseFold, pause).then("edit");
	given(call, edit, call).when(pauseFold, pause).then("work");
	given(call, fileChanged("a.ts", { actor: "other" }))
		.when(pauseFold, pause)
		.then("work");
});
