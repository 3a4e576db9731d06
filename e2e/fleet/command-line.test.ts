import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { failureChange } from "../../src/agent/live/failure-change.ts";
import { FleetRecall } from "../../src/agent/live/fleet-recall.ts";
import { FleetShipping } from "../../src/agent/live/fleet-shipping.ts";
import { openEngine } from "../../src/engine.ts";
import { ended, Place } from "../../test/cli/place.ts";
import { TOKEN } from "../../test/cli/session.ts";
import { TestServer } from "./server.ts";

const PROJECT = "acme/parser";
const RED = "not ok 1 - parses tabs\n  error: 'expected 2, got 1'\n# fail 1\n\nCommand exited with code 1";
const GREEN = "ok 1 - parses tabs\n# pass 1\n# fail 0\n";
const CHANGE = "@@ -1 +1 @@\n-split(' ')\n+split(/[ \\t]/)";

let server: TestServer;
const ann = new Place();
const bob = new Place();
before(async () => {
	server = await TestServer.start();
});
after(() => {
	for (const place of [ann, bob]) place.remove();
	server.stop();
});

/** A session of Pi: a red run, and on request the edit and the green run. */
function session(id: string, cwd: string, isMended: boolean): object[] {
	const at = (step: number) => new Date(Date.UTC(2026, 0, 5, 10, 0, step)).toISOString();
	let step = 0;
	const message = (of: object) => {
		const parentId = step === 0 ? null : `${id}-${step}`;
		step++;
		return { type: "message", id: `${id}-${step}`, parentId, timestamp: at(step), message: of };
	};
	const call = (name: string, args: object) =>
		message({ role: "assistant", content: [{ type: "toolCall", id: `c${step}`, name, arguments: args }] });
	const result = (name: string, text: string, isError: boolean, details?: object) =>
		message({
			role: "toolResult",
			toolCallId: `c${step - 1}`,
			toolName: name,
			content: [{ type: "text", text }],
			isError,
			details,
		});
	return [
		{ type: "session", version: 3, id, timestamp: at(0), cwd },
		message({ role: "user", content: [{ type: "text", text: `Make the parser accept tabs, token ${TOKEN}` }] }),
		call("bash", { command: "node --test" }),
		result("bash", RED, true),
		...(isMended
			? [
					call("edit", { path: "src/parser.js", oldText: "split(' ')", newText: "split(/[ \\t]/)" }),
					result("edit", "Successfully replaced text in src/parser.js.", false, { diff: CHANGE }),
					call("bash", { command: "node --test" }),
					result("bash", GREEN, false),
				]
			: []),
	];
}

const env = (role: string) => ({ WEFT_FLEET_URL: server.url(role, "team"), WEFT_FLEET_PROJECT: PROJECT });

async function weft(place: Place, role: string, ...args: string[]): Promise<string> {
	const { code, out, err } = await place.weftIn(env(role), ...args);
	assert.equal(code, 0, `weft ${args.join(" ")}: ${err}`);
	return out;
}

/** As a host does it: the process that asks is real, and so is the server. */
async function tellAtOnce(): Promise<void> {
	const host = { PATH: process.env["PATH"] ?? "", HOME: bob.folder, ...env("bob"), WEFT_FLEET_RECALL: "1" };
	const engine = openEngine({ cwd: bob.project, host: "pi", session: "bob-live", home: bob.home, env: host });
	const recall = FleetRecall.of(engine, { env: host, answerMs: 60_000 })!;
	const call = { session: "bob-live", host: "pi", cwd: bob.project, tool: "bash", callId: "c" };
	const result = { kind: "result", tool: "bash", callId: "c", text: RED, isError: true } as const;
	const change = failureChange(engine, { ...call, input: { command: "node --test" } }, result);
	const notes = change ? await recall.notes(call, change) : [];
	assert.match(notes.join(), /resolved before on another machine: .*session ann-session, who changed src\/parser\.js/);
	recall.close();
	engine.close();
}

test("a fleet is set up, shipped to and asked by the command line", { timeout: 200_000 }, async () => {
	await using admin = await server.connect();
	await admin.query("CREATE DATABASE team");
	for (const role of ["ann", "bob", "lead"]) await admin.query(`CREATE ROLE ${role} LOGIN`);
	assert.match(await weft(ann, "postgres", "fleet", "migrate"), /schema 0 → 2/);
	for (const role of ["ann", "bob"]) await weft(ann, "postgres", "fleet", "member", role, "--team", "red");
	await weft(ann, "postgres", "fleet", "member", "lead", "--team", "red", "--owner");

	await ann.weft("import", ann.file("a.jsonl", session("ann-session", ann.project, true)));
	await bob.weft("import", bob.file("b.jsonl", session("bob-session", bob.project, false)));
	const preview = await weft(ann, "ann", "sync", "--dry-run");
	assert.match(preview, /would leave .*events/);
	assert.match(preview, /\[secret\]/);
	assert.doesNotMatch(preview, new RegExp(TOKEN));

	const dead = { WEFT_FLEET_URL: "postgres://ann:hunter2@127.0.0.1:1/team", WEFT_FLEET_PROJECT: PROJECT };
	const failed = await ann.weftIn(dead, "sync");
	assert.equal(failed.code !== 0 && /cannot be reached/.test(failed.err), true, failed.err);
	const doctor = await ann.weftIn(dead, "doctor");
	assert.match(doctor.out, /! +fleet +ann@127\.0\.0\.1:1\/team: away since .*\d+ events wait.*ECONNREFUSED/);
	assert.doesNotMatch(doctor.out + failed.err + (await ann.weftIn(dead, "config")).out, /hunter2/);
	assert.equal((await ann.weftIn(dead, "sync", "--background")).code, 0);

	assert.match(
		await weft(ann, "ann", "sync"),
		/events of acme\/parser shipped to ann@127\.0\.0\.1:\d+\/team \(\d+ events masked, 1 failure\)/,
	);
	await weft(bob, "bob", "sync");
	assert.match(await weft(ann, "ann", "status"), /fleet .*shipped just now, nothing waits/);
	assert.match(await weft(ann, "ann", "fleet"), /team +red[\s\S]*2 sessions[\s\S]*acme\/parser/);
	const found = JSON.parse(await weft(bob, "bob", "fleet", "grep", "parser", "tabs", "--json")) as {
		hits: { session: string }[];
	};
	assert.deepEqual(new Set(found.hits.map((hit) => hit.session)), new Set(["ann-session", "bob-session"]));

	const failures = await weft(bob, "bob", "fleet", "failures", "--open");
	assert.match(failures, /expected 2, got 1/);
	assert.match(failures, /resolved after 1 red run, .*session ann-session/);
	const [, handle] = /src\/parser\.js \+\d+.*weft fleet show (e-[0-9a-f]{12})/.exec(failures) ?? [];
	assert.match(await weft(bob, "bob", "fleet", "show", handle!), /split\(\/\[/);

	await tellAtOnce();
	const told = (await weft(bob, "bob", "log", "--all", "--type", "ResolvedElsewhere", "--json")).trim().split("\n");
	assert.deepEqual(
		told.map((line) => JSON.parse(line).payload.paths),
		[["src/parser.js"]],
	);

	assert.match(await weft(bob, "bob", "fleet", "log", "--type", "UserIntent"), /Make the parser accept tabs/);
	assert.match(await weft(bob, "bob", "fleet", "fetch", "ann-"), /new here/);
	const askBoth = async (...args: string[]) =>
		[await weft(ann, "ann", ...args), await weft(bob, "bob", ...args)] as const;
	// But for the token, which was masked and counts otherwise, and the folder, both have the same.
	const plain = (text: string) =>
		text.replaceAll(TOKEN, "[secret]").replaceAll(ann.project, "").replaceAll(bob.project, "");
	for (const args of [
		["context", "--session", "ann-session"],
		["replay", "--session", "ann-session", "--mode", "host,woven", "--json"],
		["expand", handle!],
	]) {
		const [there, here] = await askBoth(...args);
		const words = (text: string) =>
			args[0] === "expand" ? plain(text) : plain(text).replaceAll(/\d+(?:\.\d+)?/g, "N");
		assert.equal(words(here), words(there), args.join(" "));
	}
	const { failures: open } = JSON.parse(await weft(bob, "bob", "state", "--all", "--json")) as {
		failures: { open: unknown[]; resolved: unknown[] };
	};
	assert.deepEqual([open.open.length, open.resolved.length], [1, 0], "what was fetched resolves nothing here");
	const { err } = await ann.weftIn(env("ann"), "fleet", "forget", "ann-session", "--yes");
	assert.match(err, /not an owner/);
	const other = await ann.weftIn(
		{ ...env("lead"), WEFT_FLEET_PROJECT: "acme/other" },
		"fleet",
		"forget",
		"ann-session",
	);
	assert.match(other.err, /no session 'ann-session' in this project/);
	assert.match(
		await weft(ann, "lead", "fleet", "forget", "ann-session", "--role", "ann"),
		/^Would remove (\d+) events of session ann-session:\n {2}\1 events by ann.* on .* \(log [0-9a-f]{8}, acme\/parser\)$/m,
	);
	assert.match(await weft(ann, "lead", "fleet", "forget", "ann-session", "--yes"), /^Removed \d+ events/);
	assert.deepEqual(
		JSON.parse(await weft(ann, "ann", "fleet", "failures", "--json")).failures.map(
			(each: { session: string }) => each.session,
		),
		["bob-session"],
	);
});

test("a host that has written starts a process that ships, and does not wait for it", {
	timeout: 200_000,
}, async () => {
	const host = { PATH: process.env["PATH"] ?? "", HOME: ann.folder, ...env("ann") };
	const engine = openEngine({ cwd: ann.project, host: "pi", session: "live", home: ann.home, env: host });
	engine.record([{ type: "Custom", payload: { name: "from-a-host" } }]);
	FleetShipping.of(engine, { env: host })!.turnEnded({ isLast: true });
	engine.close();
	await using reader = await server.connect("ann", "team");
	for (;;) {
		const { rowCount } = await reader.query("SELECT 1 FROM weft.event WHERE session = 'live'");
		if (rowCount === 1) return;
		await sleep(100);
	}
});

test("sync --follow ships what comes, and fleet log --follow shows it at once", { timeout: 120_000 }, async () => {
	const shipping = bob.start(["sync", "--follow"], env("bob"));
	const reading = ann.start(["fleet", "log", "--follow", "--json", "--type", "Custom"], env("ann"));
	const [shipped, read] = [ended(shipping), ended(reading)];
	const seen = Promise.withResolvers<void>();
	reading.stdout?.on("data", (text: string) => {
		if (text.includes("deployed-now")) seen.resolve();
	});
	await bob.weft("log", "add", "deployed-now");
	await seen.promise;
	for (const child of [shipping, reading]) child.kill("SIGTERM");
	assert.deepEqual([(await shipped).code, (await read).code], [0, 0]);
});
