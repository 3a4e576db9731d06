import { test } from "node:test";
import { call, ran, user, write } from "../../test/rig/events.ts";
import { agent, file, given, noted, passed, unnoted, verdicts } from "../../test/rig/guard-specification.ts";

const repeated = (times: number) =>
	noted(new RegExp(`^The same call has given the same result ${times} times, and nothing changed in between`));

test("the same call with the same result gets a remark from the third time on", () => {
	const again = ran("echo 'took 0.12s'; exit 1");
	given()
		.when(again, again, again, again)
		.then(unnoted, unnoted, repeated(3), repeated(4), verdicts("warn loop", "warn loop"));
});

test("other calls in between do not matter; another result does", () => {
	const again = ran("cat state 2>&1");
	given(again, ran("ls"), again, file("state", "on\n")).when(again, again, again).then(unnoted, unnoted, repeated(3));
});

test("durations and times of day do not make another result", () => {
	const again = ran("echo failed in $(wc -l < n).5s at 12:00:0$(wc -l < n)");
	given()
		.when(file("n", "1\n".repeat(2)), again, file("n", "1\n".repeat(3)), again, file("n", "1\n".repeat(4)), again)
		.then(unnoted, unnoted, repeated(3));
});

test("a change of a file, a command that changes things and a new request begin anew", () => {
	const again = ran("echo red");
	given(again, again, write("a.ts", "x\n"))
		.when(again, again, ran("echo on > state"), again, again, user("again"), again, again, again)
		.then(unnoted, unnoted, passed(), unnoted, unnoted, unnoted, unnoted, repeated(3));
});

test("arguments in another order are the same call; other arguments are not", () => {
	given(call("lookup", { a: 1, b: [2] }), call("lookup", { b: [2], a: 1 }))
		.when(call("lookup", { a: 1, b: [3] }), call("lookup", { b: [2], a: 1 }))
		.then(unnoted, repeated(3));
});

test("is silent in report mode, but written down", () => {
	const again = ran("echo red");
	given(agent({ settings: { policyMode: "report" } }))
		.when(again, again, again)
		.then(unnoted, unnoted, unnoted, verdicts("warn loop"));
});
