import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { openEngine } from "../engine.ts";
import { controlEvent, isControl, wasControl } from "./control-share.ts";

const ids = Array.from({ length: 2_000 }, (_, n) => `session-${n}`);

test("the id decides which sessions are not shortened, about as many as asked for", () => {
	const chosen = ids.filter((id) => isControl(id, 0.1));
	assert.ok(chosen.length > 150 && chosen.length < 250, `${chosen.length} of 2,000`);
	assert.deepEqual(
		ids.filter((id) => isControl(id, 0.1)),
		chosen,
	);
	assert.ok(
		chosen.every((id) => isControl(id, 0.2)),
		"a larger share takes more, and none away",
	);
	assert.deepEqual([isControl("a"), isControl("a", 0), isControl("a", 1)], [false, false, true]);
	assert.ok(ids.every((id) => isControl(`${id}/agent-1`, 0.5) === isControl(id, 0.5)));
});

test("a session remembers in which half it was, and no other session takes part", (t) => {
	const cwd = temporaryFolder();
	const engine = openEngine({ cwd, home: `${cwd}/data`, host: "pi", env: {} });
	t.after(() => engine.close());
	const [one, other] = [
		{ session: "one", host: "pi" },
		{ session: "other", host: "pi" },
	];
	assert.equal(engine.record([controlEvent(one, 1)]).added, 1);
	assert.equal(engine.record([controlEvent(one, 0.5)]).added, 0, "once for each session");
	assert.deepEqual([wasControl(engine.log, one), wasControl(engine.log, other)], [true, undefined]);
});

test("no message leaves the prompts of a control session, whatever asks for it", async (t) => {
	const cwd = temporaryFolder();
	const of = { session: "s", host: "pi" };
	const open = (share: string) =>
		openEngine({ cwd, home: `${cwd}/data`, host: "pi", env: { WEFT_CONTROL_SHARE: share, WEFT_SEAL: "thrift" } });
	const engine = open("0");
	for (let n = 0; n < 60; n++) {
		const role = n % 2 === 0 ? "user" : "assistant";
		const message = { role, content: [{ type: "text", text: `message ${n} ${"word ".repeat(1_500)}` }] };
		const raw = JSON.stringify({ type: "message", id: `m${n}`, parentId: n === 0 ? null : `m${n - 1}`, message });
		engine.record([{ type: "Message", ...of, entry: `m${n}`, payload: { role, form: "pi" }, raw }]);
	}
	assert.ok(
		await engine.seal({ ...of, mode: "woven", decide: true, force: true }),
		"without the setting a seal is made",
	);
	engine.close();
	const control = open("1");
	t.after(() => control.close());
	assert.equal(control.plan({ ...of, mode: "woven", decide: true }).mode, "off");
	assert.equal(await control.seal({ ...of, mode: "woven", decide: true, force: true }), undefined);
});
