/** A fleet behind real agents: Pi ships after a turn and is told what others resolved, OpenClaw's engine ships. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import { openEngine } from "../../src/engine.ts";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession } from "../../src/fleet/find-session.ts";
import { entriesToResume } from "../../src/view/export.ts";
import { results } from "../../test/contract/suite.ts";
import { place } from "../../test/openclaw/rig.ts";
import { messagesOf } from "../../test/pi/wire.ts";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../../test/rig/pi.ts";
import { makePiWorkspace, type PiWorkspace } from "../../test/rig/workspace.ts";
import { TestServer } from "./server.ts";

const PROJECT = "acme/gannet";
const MAX_TRIES = 40;
const FILES = {
	"check.sh": '[ -f fixed ] || { echo "Error: gannet refused the draught of berth 12" >&2; exit 3; }\necho ok\n',
};
const NOTE = /resolved before on another machine: [^\n]*, by [^\n]* who changed fixed\./g;

let server: TestServer;
let reader: FleetConnection;
const ann = makePiWorkspace({ files: FILES });
const bob = makePiWorkspace({ files: FILES });

before(async () => {
	server = await TestServer.start();
	await server.fleet("team", { ann: "red", bob: "red" });
	reader = await server.connect("ann", "team");
});
after(async () => {
	await reader.close();
	for (const workspace of [ann, bob]) workspace[Symbol.dispose]();
	server.stop();
});

const env = (role: string) => ({ WEFT_FLEET_URL: server.url(role, "team"), WEFT_FLEET_PROJECT: PROJECT });
const check = (nth: number): ModelAnswer => ({
	toolCalls: [{ id: `check${nth}`, name: "bash", args: { command: "sh check.sh" } }],
});

function openAt({ project, home }: PiWorkspace, role: string) {
	return openEngine({ cwd: project, host: "pi", home, env: { HOME: home, ...env(role) } });
}

/** Until the server has it: whoever ships does so in a process of its own. */
async function until(sql: string): Promise<readonly Record<string, string>[]> {
	for (;;) {
		const { rows } = await reader.query<Record<string, string>>(sql);
		if (rows.length > 0) return rows;
		await sleep(200);
	}
}

test("Pi ships what it did after a turn, with what failed and what resolved it", { timeout: 180_000 }, async () => {
	const script = [
		check(1),
		{ toolCalls: [{ id: "w", name: "write", args: { path: "fixed", content: "yes\n" } }] },
		check(2),
		{ text: "The gannet sails again." },
	];
	const options = { workspace: ann, extensions: [WEFT_EXTENSION], env: env("ann"), timeLimitMs: 150_000 };
	const run = await runPi({ ...options, script, prompts: ["Mend the check."] });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["The gannet sails again.", ""]);
	const [failure] = await until("SELECT state, session FROM weft.failure WHERE state = 'resolved'");
	const found = await until(
		`SELECT payload FROM weft.event WHERE type = 'Message' AND session = '${failure!["session"]}'`,
	);
	assert.match(found.map(({ payload }) => payload).join(), /draught of berth 12/);
});

test("Pi is told beside the failing result who resolved it elsewhere, once, and the log says so", {
	timeout: 300_000,
}, async () => {
	// The process that asks may not be there at the first result, and an answer may be late: then it is asked again.
	let after = 0;
	const script = (request: ModelRequest, nth: number): ModelAnswer => {
		// Some more once it was told: it must not be told again.
		if (after > 0 || JSON.stringify(messagesOf(request)).match(NOTE)) after++;
		return after > 3 || nth >= MAX_TRIES ? { text: "I look at it." } : check(nth);
	};
	const options = { workspace: bob, extensions: [WEFT_EXTENSION], timeLimitMs: 250_000 };
	const slow = { "check.sh": `sleep 1\n${FILES["check.sh"]}` };
	for (const [path, text] of Object.entries(slow)) writeFileSync(join(bob.project, path), text);
	const run = await runPi({
		...options,
		script,
		prompts: ["Run the check."],
		env: { ...env("bob"), WEFT_FLEET_RECALL: "1" },
	});
	assert.equal(run.stderr, "");
	const sent = JSON.stringify(messagesOf(run.requests.at(-1)!));
	const told = openAt(bob, "bob");
	const events = [...told.log.read({ types: ["ResolvedElsewhere"] })];
	told.close();
	assert.deepEqual([sent.match(NOTE)?.length ?? 0, events.length], [1, 1]);
	assert.deepEqual(events[0]!.payload["paths"], ["fixed"]);
});

test("a session that was fetched is resumed in Pi as if it had been made here, and is nobody else's work", {
	timeout: 300_000,
}, async () => {
	const engine = openAt(bob, "bob");
	const before = engine.state().state.failures.failures;
	await using connection = await server.connect("bob", "team");
	const [{ session }] = (await until("SELECT session FROM weft.failure WHERE state = 'resolved'")) as [
		{ session: string },
	];
	// Its last answer may be shipped after the failure.
	await until(`SELECT 1 FROM weft.event WHERE session = '${session}' AND payload LIKE '%The gannet sails again.%'`);
	await fetchSession(connection, engine.log, await findFleetSession(connection, session));
	assert.deepEqual(engine.state().state.failures.failures.open, before.open);
	const file = join(bob.sessionDir, "fetched.jsonl");
	writeFileSync(file, `${[...entriesToResume(engine.log, session, bob.project)].join("\n")}\n`);
	engine.close();
	const run = await runPi({
		workspace: bob,
		extensions: [WEFT_EXTENSION],
		env: env("bob"),
		args: ["--session", file],
		script: [{ text: "I mended it." }],
		prompts: ["What did you do?"],
		timeLimitMs: 250_000,
	});
	assert.deepEqual([run.stdout.trim(), run.stderr], ["I mended it.", ""]);
	const sent = JSON.stringify(messagesOf(run.requests[0]!));
	assert.match(
		sent,
		/Mend the check\.[\s\S]*draught of berth 12[\s\S]*The gannet sails again\.[\s\S]*What did you do\?/,
	);
	// Its continuation is bob's own, and is shipped as such.
	await until(`SELECT 1 FROM weft.event WHERE session = '${session}' AND payload LIKE '%What did you do?%'`);
	await until(`SELECT 1 FROM weft.continued WHERE session = '${session}'`);
});

test("OpenClaw's engine ships a turn that was committed", { timeout: 120_000 }, async (t) => {
	const here = place(t, { PATH: process.env["PATH"] ?? "", ...env("ann") });
	const make = (host: HostModel) => here.engine({ now: Date.now, readTranscript: host.readTranscript });
	const host = new HostModel({ make, sessionId: "claw" });
	await host.turn("Feed the gannet.", results(1, 200));
	const rows = await until("SELECT payload FROM weft.event WHERE session LIKE '%claw%' AND type = 'Message'");
	assert.match(rows.map(({ payload }) => payload).join(), /Feed the gannet/);
});
