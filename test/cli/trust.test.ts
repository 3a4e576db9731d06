import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Context } from "../../src/show/cli/context.ts";
import { runCommand } from "../../src/show/cli/frame.ts";
import type { GlobalOptions } from "../../src/show/cli/options.ts";
import { Output } from "../../src/show/cli/output.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { Sink } from "./sink.ts";

let folder: string;
let clone: string;

beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-trust-")));
	clone = join(folder, "clone");
	mkdirSync(join(clone, ".git"), { recursive: true });
	mkdirSync(join(clone, ".weft"));
	const ran = JSON.stringify(join(folder, "ran"));
	writeFileSync(
		join(clone, ".weft", "evil.mjs"),
		`import { writeFileSync } from "node:fs"; writeFileSync(${ran}, ""); export default () => {};`,
	);
	writeFileSync(
		join(clone, ".weft", "config.json"),
		JSON.stringify({ dbDir: "../../stolen", handlers: ["./evil.mjs"], pruneDays: 30 }),
	);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function at(options: GlobalOptions = {}, env: NodeJS.ProcessEnv = {}) {
	const [out, err] = [new Sink(), new Sink()];
	const output = new Output({ json: options.json ?? false, color: false }, out.stream, err.stream);
	const place = { env: { HOME: folder, XDG_DATA_HOME: join(folder, "xdg"), ...env }, cwd: clone, out: output };
	return { context: new Context(options, place), out, err };
}

/** Opens the project and assembles a request, as a command does. */
async function work({ context, err }: ReturnType<typeof at>) {
	const engine = context.openForWriting();
	try {
		const read = messageReader({ session: "s", host: "cli", cwd: clone });
		engine.record(read({ role: "user", content: "hello" }, "1"));
		await engine.assemble({ session: "s", host: "cli" });
		return {
			ran: existsSync(join(folder, "ran")),
			moved: existsSync(join(folder, "stolen")),
			days: engine.settings.pruneDays,
			said: err.text.replaceAll(folder, ""),
		};
	} finally {
		engine.close();
	}
}

test("in a hostile clone nothing of it runs or counts, and what was ignored is said once", async () => {
	assert.deepEqual(await work(at()), {
		ran: false,
		moved: false,
		days: 7,
		said: "weft: /clone/.weft/config.json is ignored: you have not trusted this project. 'weft trust' makes it count.\n",
	});
});

test("weft trust makes it count, and --undo takes that back", async () => {
	const first = at();
	await runCommand("trust", first.context, [], {});
	assert.equal(
		first.out.text.replaceAll(folder, ""),
		"/clone is trusted.\nThis file counts: /clone/.weft/config.json (dbDir, pruneDays, handlers)\n",
	);
	assert.deepEqual(await work(at()), { ran: true, moved: true, days: 30, said: "" });

	const list = at({ json: true });
	await runCommand("trust", list.context, [], { list: true });
	assert.deepEqual(
		(JSON.parse(list.out.text) as { projects: { path: string }[] }).projects.map(({ path }) => path),
		[clone],
	);
	const last = at({ json: true });
	await runCommand("trust", last.context, [], { undo: true });
	assert.deepEqual(JSON.parse(last.out.text), {
		project: clone,
		trusted: false,
		changed: true,
		files: [{ file: join(clone, ".weft", "config.json"), settings: ["dbDir", "pruneDays", "handlers"] }],
	});
	assert.equal((await work(at())).days, 7);
});

test("--trust and WEFT_TRUST=1 hold for one run and are said; other words in the variable do not", async () => {
	assert.deepEqual(await work(at({ trust: true })), {
		ran: true,
		moved: true,
		days: 30,
		said: "weft: /clone is trusted for this run (--trust).\n",
	});
	assert.equal((await work(at({}, { WEFT_TRUST: "1" }))).said, "weft: /clone is trusted for this run (WEFT_TRUST).\n");
	for (const word of ["0", "", "no", "2"]) assert.equal((await work(at({}, { WEFT_TRUST: word }))).days, 7, word);
});

test("trust for this run does not reach other projects that an import names", async () => {
	const other = join(folder, "other");
	mkdirSync(join(other, ".git"), { recursive: true });
	mkdirSync(join(other, ".weft"));
	writeFileSync(join(other, ".weft", "config.json"), '{"pruneDays":99}');
	const { context, err } = at({ trust: true });
	const engine = context.openForWriting(other);
	assert.equal(engine.settings.pruneDays, 7);
	engine.close();
	assert.match(err.text, /other\/\.weft\/config\.json is ignored.*'weft trust --project .*other' makes it count/);
});

test("config names the files that do not count", async () => {
	const { context, out } = at({ json: true });
	await runCommand("config", context, [], {});
	assert.deepEqual((JSON.parse(out.text) as { ignored: unknown }).ignored, [join(clone, ".weft", "config.json")]);
});
