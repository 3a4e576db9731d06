import { test } from "node:test";
import { ran } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { newestFirst } from "../../log/fold/keyed.ts";
import { type PathState, pathFold } from "./path-fold.ts";

const seen = ({ seen: paths }: PathState) => [...newestFirst(paths)].map(([path]) => path).sort();

test("ranges of commits, calls of a regular expression and the rest of a computed folder are no paths", () => {
	given(
		ran("git log feat/tides...origin/main.old && git diff origin/dev..feat/ebb.x"),
		ran("node -e 'names.filter((each) => /name/i.test(each))'"),
		ran("cat $(tide root)/@harbour/board/dark.json $(here)/lib/a.ts"),
		ran("cat ~/.tide/boards/blue.json src/tides.ts"),
	)
		.when(pathFold, seen)
		.then(["src/tides.ts", "~/.tide/boards/blue.json"]);
});
