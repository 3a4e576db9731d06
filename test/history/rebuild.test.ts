import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verify } from "../../src/log/repair/verify.ts";
import { compact } from "../../src/state/history/compact.ts";
import { History } from "../../src/state/history/history.ts";
import { stretchRecords } from "../../src/state/history/stretch-records.ts";
import { poison } from "../rig/poison.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { checkCoverage, openHistory, PiSession, START } from "./rig.ts";

const SMALL = { leafChunkTokens: 700, keepTokens: 700 };

test("tree and nodes, made anew from the log, are the same rows, and verify passes", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	await compact(opened.history, { session: session.ref, settings: SMALL, now: () => START });
	session.jump("e30");
	for (let n = 12; n < 20; n++) session.round(n);
	await compact(opened.history, { session: session.ref, settings: SMALL, now: () => START });
	const before = [...opened.log.projection!.dump()];
	opened.log.projection!.rebuild();
	assert.deepEqual([...opened.log.projection!.dump()], before);
	assert.ok(before.some((row) => row.startsWith("summary_node")));
	const report = verify(opened.log);
	assert.deepEqual(report.problems, []);
});

test("a process killed while it compacts leaves every message in one place, and the next one goes on", async () => {
	using opened = openHistory(temporaryFolder());
	const session = new PiSession(opened.log);
	for (let n = 0; n < 40; n++) session.round(n);
	const script = fileURLToPath(new URL("./compact-child.ts", import.meta.url));
	for (const delayMs of [0, 20, 60]) {
		const child = spawn(process.execPath, [script, opened.folder], { stdio: ["ignore", "pipe", "inherit"] });
		await new Promise((resolve) => child.stdout.once("data", resolve));
		await wait(delayMs);
		child.kill("SIGKILL");
		await new Promise((resolve) => child.once("close", resolve));
		checkCoverage(opened.history, opened.history.path(session.ref));
	}
	const { path, ended } = await compact(opened.history, { session: session.ref, settings: SMALL, now: () => START });
	assert.equal(ended, "done");
	checkCoverage(opened.history, path);
	assert.deepEqual(verify(opened.log).problems, []);
});

test("sessions that were written at the same time do not get into each other's summaries", async () => {
	using opened = openHistory();
	const sessions = ["one", "two", "three"].map((id) => new PiSession(opened.log, id));
	for (let n = 0; n < 8; n++) {
		for (const session of sessions) {
			session.user(`wish of ${session.ref.session} ${n}`);
			session.turn("bash", { command: `echo ${session.ref.session}` }, "x ".repeat(400));
		}
	}
	for (const session of sessions) {
		const { leaves, path } = await compact(opened.history, { session: session.ref, settings: SMALL, now: () => START });
		assert.ok(leaves.length > 1);
		checkCoverage(opened.history, path);
		for (const id of leaves) {
			const text = opened.history.text(opened.history.node(id)!);
			for (const other of sessions) assert.equal(text.includes(`wish of ${other.ref.session}`), other === session);
		}
		const messages = opened.history.messages(path.nodes[0]!).map(({ seq }) => seq);
		for (const record of stretchRecords(opened.log, session.ref, messages))
			assert.equal(record.session, session.ref.session);
	}
});

test("nodes whose messages are others in this log do not count, and what they covered is uncovered", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 6; n++) session.round(n);
	await compact(opened.history, { session: session.ref, settings: SMALL, now: () => START });
	using other = openHistory();
	other.log.append([{ type: "Custom", ...session.ref, ts: 1, payload: { name: "was here before" } }]);
	other.log.append(
		[...opened.log.read()].map(({ seq: _, cause: __, entry, ...event }) => ({
			...event,
			...(entry === null ? {} : { entry }),
		})),
	);
	const history = new History(other.log);
	const path = history.path(session.ref);
	assert.deepEqual(path.nodes, []);
	checkCoverage(history, path);
	const { leaves, path: covered } = await compact(history, { session: session.ref, settings: SMALL, now: () => START });
	assert.ok(leaves.length > 0 && covered.nodes.length === leaves.length);
	for (const id of leaves) assert.ok(history.node(id));
	checkCoverage(history, covered);
});

test("Summary events that are no nodes are passed over", () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	session.user("hi");
	const odd = [
		{},
		{ node: 7 },
		{ node: "s-1", depth: 0, messages: { first: 2, last: 1, from: "e1", to: "e1" } },
		{ node: "s-1", depth: "0", messages: null, sources: [{}, null] },
	];
	poison(
		opened.log,
		odd.map((payload) => ({ type: "Summary", ...session.ref, payload })),
	);
	const path = opened.history.path(session.ref);
	assert.equal(path.nodes.length, 0);
	checkCoverage(opened.history, path);
	assert.equal(opened.history.stats(session.ref).nodes, 0);
});
