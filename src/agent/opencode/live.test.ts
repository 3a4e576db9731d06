import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { FORMATS, writeFormat } from "../../../test/formats/formats.ts";
import type { Script } from "../../../test/formats/script.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import { LiveSessionFiles } from "../live/live-session-files.ts";
import { OpencodeLive } from "./live.ts";
import { OPENCODE_PORT } from "./port.ts";
import { opencodeReader } from "./reader.ts";

const WORDS = "many words of a file that takes room in the context. ".repeat(60);

/** A task of many reads, at the newest of which the agent is about to ask again. */
const SCRIPT: Script = [
	{ user: "Read all of it" },
	...Array.from({ length: 24 }, (_, n) => ({
		answer: `Part ${n}.`,
		acts: [{ do: "run", command: `cat part-${n}.txt`, output: `${n} ${WORDS}`, exit: 0 } as const],
		tokens: { input: 900, read: 0, output: 40 },
	})),
];

function place(t: TestContext) {
	const folder = mkdtempSync(join(tmpdir(), "weft-opencode-"));
	const cwd = join(folder, "project");
	mkdirSync(cwd);
	const database = writeFormat(FORMATS.find(({ agent }) => agent === "opencode")!, folder, SCRIPT);
	const files = new LiveSessionFiles({
		readers: [opencodeReader],
		env: { HOME: folder },
		home: join(folder, "weft"),
		cwd,
		port: OPENCODE_PORT,
		warn: () => {},
	});
	t.after(async () => {
		await files.close();
		rmSync(folder, { recursive: true, force: true });
	});
	const live = new OpencodeLive({ files, cwd, window: 16_000 });
	const ask = () => live.answer({ kind: "request", session: "ses_1", model: "scripted" });
	return { cwd, database, files, live, ask };
}

test("a sub-agent is known by the name that its session has in the log", async (t) => {
	const { database, ask, files, cwd } = place(t);
	const db = new DatabaseSync(database);
	db.exec(
		"INSERT INTO session SELECT 'ses_0', NULL, directory, title, version, time_created, time_updated FROM session",
	);
	db.exec("UPDATE session SET parent_id = 'ses_0' WHERE id = 'ses_1'");
	db.close();
	const answer = await ask();
	assert.match(String(answer?.["seed"]), /cat part-0\.txt/);
	assert.equal(answer?.["keepsFirst"], true, "its task, which the user did not say");
	const [seal] = files.engineFor(cwd)!.log.read({ types: ["Seal"] });
	assert.equal(seal?.session, "ses_0/ses_1");
	assert.equal(answer?.["notice"], undefined, "a sub-agent's context is not the user's");
});

test("a long session of opencode gets a seed and the messages since, the same at each request", async (t) => {
	const { cwd, files, live, ask } = place(t);
	const first = await ask();
	assert.match(String(first?.["seed"]), /Read all of it/);
	assert.match(String(first?.["from"]), /^msg_/);
	const { notice, ...rest } = first ?? {};
	assert.match(String(notice), /^sealed \(.+\): \d+ messages left the context, .+ To get them back: weft grep WORDS/);
	assert.deepEqual(await ask(), rest, "nothing changes inside an epoch, and the user hears of the seal once");
	const engine = files.engineFor(cwd)!;
	assert.equal([...engine.log.read({ types: ["Seal"] })].length, 1);
	assert.equal([...engine.log.read({ types: ["Request"] })].length, 2);
	const kept = engine.requests.moment({ session: "ses_1", host: "opencode" }).path.messages;
	assert.equal(kept[0]!.id, first!["from"]);

	assert.equal(await live.answer({ kind: "request", session: "ses_unknown" }), undefined);
	const output = Array.from({ length: 20_000 }, (_, n) => `row ${n}`).join("\n");
	const after = { kind: "after", session: "ses_1", tool: "bash", callId: "c", args: { command: "cat big" }, output };
	const shown = await live.answer(after);
	assert.ok(String(shown?.["output"]).length < output.length / 2);
});

test("a command that runs in another folder writes there, and is not taken for somebody else", async (t) => {
	const { cwd, live, files } = place(t);
	mkdirSync(join(cwd, "sub"));
	const of = { session: "ses_1", tool: "bash", callId: "c", args: { command: "echo inner > in.txt", workdir: "sub" } };
	for (const text of ["first\n", "inner\n"]) {
		await live.answer({ ...of, kind: "before" });
		writeFileSync(join(cwd, "sub/in.txt"), text);
		const said = await live.answer({ ...of, kind: "after", output: "" });
		assert.doesNotMatch(String(said?.["output"]), /somebody else/);
	}
	const changes = [...files.engineFor(cwd)!.log.read({ types: ["FileChanged"] })].map(({ payload }) => payload);
	assert.deepEqual(
		changes.map(({ path, actor }) => [path, actor]),
		[
			["sub/in.txt", "shell"],
			["sub/in.txt", "shell"],
		],
	);
});

test("an edit of a file that was changed behind the agent's back is refused with the difference", async (t) => {
	const { cwd, database, live } = place(t);
	const filePath = join(cwd, "rates.mjs");
	writeFileSync(filePath, "rate = 7\nfloor = 1\n");
	const output = `<path>${filePath}</path>\n<type>file</type>\n<content>\n1: rate = 7\n2: floor = 1\n\n(End of file - total 2 lines)\n</content>`;
	const metadata = { display: { path: filePath, text: "rate = 7\nfloor = 1", lineStart: 1, lineEnd: 2 } };
	const state = { status: "completed", input: { filePath }, output, metadata };
	const db = new DatabaseSync(database);
	const add = (id: string, table: string, data: object) =>
		db
			.prepare(`INSERT INTO ${table} VALUES (?, ${table === "part" ? "'msg_9'," : ""} 'ses_1', 1, 1, ?)`)
			.run(id, JSON.stringify(data));
	add("msg_9", "message", { role: "assistant", time: { created: Date.now(), completed: Date.now() } });
	add("prt_9", "part", { type: "tool", tool: "read", callID: "c8", state });
	db.close();
	const args = { filePath, oldString: "floor = 1", newString: "floor = 2" };
	const before = { kind: "before", session: "ses_1", tool: "edit", callId: "c9", args };
	assert.equal(await live.answer(before), undefined);
	writeFileSync(filePath, "rate = 9\nfloor = 3\n");
	assert.match(String((await live.answer(before))?.["deny"]), /-rate = 7\n-floor = 1\n\+rate = 9/);
});

test("a plugin of another version is said once", async (t) => {
	const say = async (plugin: string) => {
		const { live } = place(t);
		const ask = async () => (await live.answer({ kind: "idle", session: "ses_1", plugin }))?.["notice"];
		return [await ask(), await ask()];
	};
	const [first, second] = await say("0.0.9");
	assert.match(String(first), /^weft is \S+, and its plugin here is 0\.0\.9\. Run 'weft init opencode'\.$/);
	assert.equal(second, undefined);
	assert.deepEqual(await say(ownVersion()), [undefined, undefined]);
});
