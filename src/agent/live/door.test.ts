import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineError } from "../../base/error/engine-error.ts";
import { Door, type Fault } from "./door.ts";

function open() {
	const faults: Fault[] = [];
	const notices: string[] = [];
	const door = new Door({
		record: (fault) => faults.push(fault),
		tell: (notice) => notices.push(notice),
		consequence: "The agent carries on",
	});
	return { door, faults, notices };
}

const fail = (message: string) => () => {
	throw new EngineError("disk-full", message);
};

test("records each failure, warns once, and lets none reach the agent", async () => {
	const { door, faults, notices } = open();
	assert.equal(door.pass("tool_call", fail("No space.")), undefined);
	assert.equal(await door.passAsync("turn_end", async () => fail("Still none.")()), undefined);
	assert.deepEqual(faults, [
		{ where: "tool_call", code: "disk-full", message: "No space." },
		{ where: "turn_end", code: "disk-full", message: "Still none." },
	]);
	assert.deepEqual(notices, ["No space. The agent carries on (tool_call)."]);
});

test("gives the answer of a body that succeeds, without a notice", () => {
	const { door, faults, notices } = open();
	assert.equal(
		door.pass("input", () => 7),
		7,
	);
	assert.deepEqual([faults, notices], [[], []]);
});

test("whatever is thrown becomes a fault of bounded size", () => {
	const { door, faults } = open();
	door.pass("a", () => {
		throw "x".repeat(5_000);
	});
	door.pass("b", () => (null as unknown as () => void)());
	assert.equal(faults[0]?.message.length, 2_000);
	assert.deepEqual([faults[0]?.code, faults[1]?.code], ["unknown", "TypeError"]);
});
