import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { EngineError } from "../../error/engine-error.ts";
import { Door, type Fault } from "./door.ts";

function screen() {
	const notices: string[] = [];
	const ui = { notify: (text: string, kind: string) => notices.push(`${kind}: ${text}`) };
	return { notices, ctx: { hasUI: true, ui } as unknown as ExtensionContext };
}

const fail = (message: string) => () => {
	throw new EngineError("disk-full", message);
};

test("a failure is handed on each time, told once, and never reaches Pi", async () => {
	const faults: Fault[] = [];
	const door = new Door((fault) => faults.push(fault));
	const { notices, ctx } = screen();
	assert.equal(door.pass("tool_call", ctx, fail("No space.")), undefined);
	assert.equal(await door.passAsync("turn_end", ctx, async () => fail("Still none.")()), undefined);
	assert.deepEqual(faults, [
		{ where: "tool_call", code: "disk-full", message: "No space." },
		{ where: "turn_end", code: "disk-full", message: "Still none." },
	]);
	assert.deepEqual(notices, ["warning: weft: No space. Pi goes on without weft's record (tool_call)."]);
});

test("what passes is not told", () => {
	const door = new Door(() => assert.fail());
	const { notices, ctx } = screen();
	let passed = false;
	door.pass("input", ctx, () => {
		passed = true;
	});
	assert.deepEqual([passed, notices], [true, []]);
});

test("a screen that is gone does not make it worse", () => {
	const ctx = new Proxy({} as ExtensionContext, {
		get() {
			throw new Error("this session was replaced");
		},
	});
	assert.equal(new Door(() => {}).pass("session_shutdown", ctx, fail("late")), undefined);
});

test("whatever is thrown becomes a fault of bounded size", () => {
	const faults: Fault[] = [];
	const door = new Door((fault) => faults.push(fault));
	const { ctx } = screen();
	door.pass("a", ctx, () => {
		throw "x".repeat(5_000);
	});
	door.pass("b", ctx, () => (null as unknown as () => void)());
	assert.equal(faults[0]?.message.length, 2_000);
	assert.deepEqual([faults[0]?.code, faults[1]?.code], ["unknown", "TypeError"]);
});
