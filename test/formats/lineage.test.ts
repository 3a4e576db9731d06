/** Forks, resumes and sub-agents of made-up sessions: whatever was said, it counts once, and under the session that said it. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import fc from "fast-check";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { readUsage, usageFold } from "../../src/state/session/usage-fold.ts";
import { FORMATS, writeFormat } from "./formats.ts";
import { CWD, happened, type Script, START, scripts, sums } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-lineage-"));
after(() => rmSync(home, { recursive: true, force: true }));

type Line = Record<string, unknown>;
const formatOf = (agent: string) => FORMATS.find((format) => format.agent === agent && !format.isOld)!;
const linesOf = (agent: string, script: Script) => formatOf(agent).lines!(script) as Line[];

interface Written {
	readonly folder: string;
	readonly script: Script;
	/** What the fork, the sub-agent or the resumed session says. */
	readonly more: Script;
	/** After so many steps the fork was made. */
	readonly steps: number;
}

interface Family {
	readonly name: string;
	/** The files, in the order in which they are imported, and the session that `more` belongs to. */
	write(of: Written): {
		readonly paths: readonly string[];
		readonly session: string;
		/** Told beside the session alone. */
		readonly model?: string;
	};
	/** True: what `more` asks is not the user's. */
	readonly isChild?: boolean;
	/** The commands of what was copied are there a second time. */
	readonly copiesEvents?: boolean;
}

const put = (folder: string, path: string, lines: readonly object[]): string => {
	const file = join(folder, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	return file;
};
const parent = (agent: string, { folder, script }: Written) => writeFormat(formatOf(agent), folder, script);
/** The lines of `more`: every id in them is another one than in the script's. */
const own = (agent: string, { more }: Written): Line[] =>
	JSON.parse(
		JSON.stringify(linesOf(agent, more)).replaceAll(
			/"(?:item_|resp_|msg_|call_|u|m)\d+[br]?"/g,
			(name) => `"x${name.slice(1)}`,
		),
	) as Line[];

const CODEX = "11111111-2222-3333-4444-555555555555";
const OTHER = "22222222-2222-3333-4444-555555555555";
const CLAUDE = "dddddddd-1111-2222-3333-444444444444";
const GEMINI = "aaaaaaaa-1111-2222-3333-444444444444";
const QWEN = "bbbbbbbb-1111-2222-3333-444444444444";
const CODEX_FILE = `.codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-${OTHER}.jsonl`;

const families: readonly Family[] = [
	{
		name: "a fork of Codex's",
		write(of) {
			const end = linesOf("codex", of.script.slice(0, of.steps)).length;
			const base = { forked_from_id: CODEX, history_base: { thread_id: CODEX, end_ordinal_exclusive: end } };
			const lines = own("codex", of).map((line, at) => ({
				...line,
				ordinal: end + at,
				...(at === 0 ? { payload: { id: OTHER, session_id: OTHER, cwd: CWD, ...base } } : {}),
			}));
			return { paths: [parent("codex", of), put(of.folder, CODEX_FILE, lines)], session: OTHER };
		},
	},
	{
		name: "a sub-agent of Codex's",
		isChild: true,
		write(of) {
			const meta = { id: OTHER, session_id: CODEX, parent_thread_id: CODEX, thread_source: "subagent", cwd: CWD };
			const lines = own("codex", of).map((line, at) => (at === 0 ? { ...line, payload: meta } : line));
			return { paths: [parent("codex", of), put(of.folder, CODEX_FILE, lines)], session: `${CODEX}/${OTHER}` };
		},
	},
	{
		name: "a fork of Claude Code's",
		copiesEvents: true,
		write(of) {
			const copied = linesOf("claude-code", of.script.slice(0, of.steps));
			const lines = [...copied, ...own("claude-code", of)].map((line) => ({ ...line, sessionId: OTHER }));
			const path = put(of.folder, `.claude/projects/-home-mill-loom/${OTHER}.jsonl`, lines);
			return { paths: [parent("claude-code", of), path], session: OTHER };
		},
	},
	{
		name: "a sub-agent of Claude Code's",
		isChild: true,
		write(of) {
			const lines = own("claude-code", of)
				.slice(1)
				.map((line) => ({ ...line, isSidechain: true, agentId: "a1" }));
			const path = put(of.folder, `.claude/projects/-home-mill-loom/${CLAUDE}/subagents/agent-a1.jsonl`, lines);
			return { paths: [parent("claude-code", of), path], session: `${CLAUDE}/a1` };
		},
	},
	{
		name: "a sub-agent of Gemini CLI's",
		isChild: true,
		write(of) {
			const [header, , ...lines] = own("gemini-cli", of);
			const path = put(of.folder, `.gemini/tmp/loom/chats/${GEMINI}/child-1.jsonl`, [
				{ ...header, sessionId: "child-1", kind: "subagent", directories: [CWD] },
				...lines,
			]);
			return { paths: [parent("gemini-cli", of), path], session: `${GEMINI}/child-1` };
		},
	},
	{
		name: "a session of Gemini CLI's that was resumed",
		write(of) {
			const [header, first, ...lines] = linesOf("gemini-cli", of.script);
			const said = new Map(lines.flatMap((line) => (typeof line["id"] === "string" ? [[line["id"], line]] : [])));
			const more = own("gemini-cli", of).slice(2);
			// The program lists everything again, then goes on.
			const again = { $set: { messages: [...said.values()] } };
			const path = put(of.folder, formatOf("gemini-cli").path, [header!, first!, ...lines, header!, again, ...more]);
			return { paths: [path], session: GEMINI };
		},
	},
	{
		name: "a sub-agent of Qwen Code's",
		isChild: true,
		write(of) {
			const lines = own("qwen-code", of).map((line) => ({
				...line,
				isSidechain: true,
				agentId: "a1",
				model: undefined,
			}));
			const path = put(of.folder, `.qwen/projects/-home-mill-loom/subagents/${QWEN}/agent-a1.jsonl`, lines);
			writeFileSync(path.replace(/jsonl$/, "meta.json"), JSON.stringify({ agentId: "a1", model: "qwen3-coder-plus" }));
			return { paths: [parent("qwen-code", of), path], session: `${QWEN}/a1`, model: "qwen3-coder-plus" };
		},
	},
	...(["opencode", "kilo"] as const).flatMap((agent): Family[] => [
		{
			name: `a fork of ${agent}'s`,
			write(of) {
				const path = parent(agent, of);
				const begun = START + 1_000_000;
				addSession(path, of, { id: "ses_2", parent: null, begun });
				const db = new DatabaseSync(path);
				// Under new ids, with the old times, before its own.
				db.exec(`INSERT INTO message SELECT 'msg_a' || substr(id, 5), 'ses_2', time_created, time_updated, data FROM message WHERE session_id = 'ses_1';
					INSERT INTO part SELECT 'prt_a' || substr(id, 5), 'msg_a' || substr(message_id, 5), 'ses_2', time_created, time_updated, data FROM part WHERE session_id = 'ses_1'`);
				db.close();
				return { paths: [path], session: "ses_2" };
			},
		},
		{
			name: `a sub-agent of ${agent}'s`,
			isChild: true,
			write(of) {
				const path = parent(agent, of);
				addSession(path, of, { id: "ses_2", parent: "ses_1", begun: START });
				return { paths: [path], session: "ses_1/ses_2" };
			},
		},
	]),
];

/** Takes a session over from a database of its own. */
function addSession(
	path: string,
	{ folder, more }: Written,
	{ id, parent: of, begun }: { readonly id: string; readonly parent: string | null; readonly begun: number },
): void {
	const other = writeFormat(formatOf("opencode"), join(folder, "other"), more);
	const db = new DatabaseSync(path);
	db.prepare("ATTACH ? AS other").run(other);
	db.prepare("INSERT INTO session SELECT ?, ?, directory, title, version, ?, time_updated FROM other.session").run(
		id,
		of,
		begun,
	);
	const time = begun - START;
	const data = db.prepare("SELECT id, time_created AS at, data FROM other.message").all() as Line[];
	const add = db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
	for (const { id: name, at, data: text } of data) {
		const value = JSON.parse(String(text)) as { time: { created: number; completed: number } };
		const when = Number(at) + time;
		const moved = JSON.stringify({ ...value, time: { created: when, completed: when } });
		add.run(`msg_z${String(name).slice(4)}`, id, when, when, moved);
	}
	db.prepare(
		"INSERT INTO part SELECT 'prt_z' || substr(id, 5), 'msg_z' || substr(message_id, 5), ?, time_created, time_updated, data FROM other.part",
	).run(id);
	db.close();
}

let runs = 0;
for (const { name, write, isChild = false, copiesEvents = false } of families) {
	test(`${name}: what it says itself is its own, and nothing counts twice`, async () => {
		await fc.assert(
			fc.asyncProperty(scripts, scripts, fc.nat(20), async (script, more, at) => {
				const folder = join(home, `run-${++runs}`);
				const { paths, session, model } = write({ folder, script, more, steps: 1 + (at % script.length) });
				using log = new Log({
					folder: join(folder, "log"),
					origin: "test",
					projection: () => new TableFolds([usageFold]),
				});
				for (const path of paths) await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
				log.foldMissing();
				if (model !== undefined)
					for (const row of readUsage(log)) if (row.session === session) assert.equal(row.model, model);
				const [one, two] = [sums(script), sums(more)];
				const used = { input: 0, read: 0, output: 0 };
				for (const { input, cache_read, output } of readUsage(log)) {
					used.input += input;
					used.read += cache_read;
					used.output += output;
				}
				assert.deepEqual(used, {
					input: one.input + two.input,
					read: one.read + two.read,
					output: one.output + two.output,
				});
				const commands = (of: Script) => happened(of).filter((line) => line.startsWith("ran "));
				const ran = [...log.read({ types: ["CommandRun"] })].filter(
					({ payload }) => !/^cat loom/.test(String(payload["command"])),
				);
				if (!copiesEvents) assert.equal(ran.length, commands(script).length + commands(more).length);
				assert.ok([...log.read({ session })].length > 0, session);
				const asked = [...log.read({ session, types: ["UserIntent"] })].map(({ payload }) => payload["text"]);
				if (isChild) assert.deepEqual(asked, []);
				else for (const step of more) if ("user" in step) assert.ok(asked.includes(step.user), step.user);
				for (const path of paths) {
					const { sessions } = await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
					assert.equal(
						sessions.reduce((sum, { events }) => sum + events, 0),
						0,
					);
				}
			}),
			{ numRuns: 4 },
		);
	});
}
