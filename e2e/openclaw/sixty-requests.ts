/** Ten turns of six requests, with weft and with the host's own engine: what it costs, and that nothing is lost. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { projectKey } from "../../src/log/home.ts";
import { type Agent, type Gateway, keyOf } from "./gateway.ts";
import { measure, type Row, type Spent, spentIn, table } from "./measure.ts";
import { textOf, type WireRequest } from "./model.ts";
import { isGood, LETTERS, type World } from "./world.ts";

const TABLE_PAGE = new URL("../../docs/openclaw-measured.md", import.meta.url);
const [TABLE_BEGIN, TABLE_END] = ["<!-- table: npm run test:openclaw -->", "<!-- end of table -->"];
const SIXTY = ["few-64", "many-64", "few-200", "many-200"] as const;
/** Below that a model cannot even name a tool. */
const MIN_ANSWER_TOKENS = 256;

export function sixtyRequests(here: () => World): void {
	const rows: Row[] = [];
	const disk = new Map<Agent, number>();
	after(() => {
		if (rows.length === 0) return;
		const text = table(rows);
		process.stdout.write(`${text}\n`);
		if (process.env["WEFT_WRITE_DOCS"]) writeTable(text);
	});

	// A gateway has one thread: with two of them both cores of a small machine work.
	test("sixty requests over ten turns are all answered, in every window and tool set, by both engines", async () => {
		const { weft, legacy } = here();
		const all = [weft, legacy].map(async (gateway) => {
			for (const agent of SIXTY) {
				const before = diskBytes(gateway, agent);
				await sixty(gateway, agent);
				if (gateway === weft) disk.set(agent, diskBytes(gateway, agent) - before);
			}
		});
		for (const { reason } of (await Promise.allSettled(all)) as { reason?: unknown }[]) if (reason) throw reason;
	});

	for (const agent of SIXTY) {
		test(`${agent}: none too large, each request extends the one before but at a seal, and less is paid`, () => {
			const world = here();
			const ours = { ...measured(world, "weft", agent), diskBytes: disk.get(agent) };
			const theirs = measured(world, "legacy", agent);
			rows.push(ours, theirs);
			assert.deepEqual([ours.requests, ours.refused, ours.breaks - ours.seals], [60, 0, 0]);
			assert.ok(ours.seals <= 5, `${ours.seals} seals in ten turns`);
			assert.ok(ours.paid < theirs.paid, `weft paid ${ours.paid}, legacy ${theirs.paid}`);
			const rooms = world.model.of(keyOf(agent, "weft")).map(({ room = Number.POSITIVE_INFINITY }) => room);
			if (agent !== "many-64") assert.ok(Math.min(...rooms) >= MIN_ANSWER_TOKENS, "no room for an answer");
		});
	}

	// The host leaves parts of its own out where another engine is chosen, and expects that one to bring them back.
	test("the system prompt has every section that it has under the host's own engine", () => {
		const { model } = here();
		const [ours, theirs] = ["weft", "legacy"].map((engine) => sectionsOf(model.of(keyOf("many-64", engine))[0]!));
		assert.ok(theirs!.length > 10, `${theirs!.length} sections`);
		assert.deepEqual(
			theirs!.filter((section) => !ours!.includes(section)),
			[],
		);
	});

	test("every result of the sixty requests comes back whole by lcm_grep and lcm_expand, through the host", async () => {
		const world = here();
		const key = keyOf("few-64", "weft");
		const results = resultsOn(world, key);
		assert.equal(results.size, 50);
		for (const letter of LETTERS) await world.good("few-64", "weft", `RECALL:${letter}:1-10 fetch these`);
		assert.equal(world.model.recalled.size, 50);
		for (const [file, text] of world.model.recalled) {
			const whole = results.get(file)!;
			assert.equal(saidIn(text).trim() === whole.trim(), true, `${file}: ${text.length} of ${whole.length} characters`);
		}
	});
}

async function sixty(gateway: Gateway, agent: Agent): Promise<void> {
	const session = gateway.engine;
	for (const letter of LETTERS) {
		isGood(await gateway.turn(agent, session, `RUN:${letter}:1-5 read these`), `${session} ${agent} ${letter} 1-5`);
		isGood(await gateway.turn(agent, session, `RUN:${letter}:6-10 go on`), `${session} ${agent} ${letter} 6-10`);
		if (session === "weft") assert.equal(gateway.outbox(agent), 0, "a turn waits in the outbox");
	}
}

function measured({ model, weft }: World, engine: "weft" | "legacy", agent: Agent): Row {
	const key = keyOf(agent, engine);
	const own = model.of(key);
	// What is asked on the side names no session; the agents of a gateway work one after the other.
	const [from, to] = [own[0], own.at(-1)].map((request) => model.requests.indexOf(request!));
	const aside = model.requests.slice(from, to).filter(({ kind, gateway }) => kind === "aux" && gateway === engine);
	const result = measure(own, aside);
	const nothing: Partial<Spent> = {};
	const spent = engine === "weft" ? spentIn(weft.calls().filter(({ session }) => session === key)) : nothing;
	return { engine, where: agent, ...result, ...spent };
}

/** What each file's reading gave, as the model saw it first. */
function resultsOn({ model }: World, key: string): Map<string, string> {
	const results = new Map<string, string>();
	for (const { messages } of model.of(key)) {
		for (const { role, content } of messages) {
			const text = role === "tool" ? textOf(content) : "";
			const [, letter, number] = /^file ([a-f])-(\d+)\n/.exec(text) ?? [];
			const file = `${letter}-${String(number).padStart(2, "0")}`;
			if (letter && !results.has(file)) results.set(file, text);
		}
	}
	return results;
}

/** The headings of a request's system prompt; those of files without their folder. */
function sectionsOf({ messages }: WireRequest): string[] {
	const system = messages.filter(({ role }) => role === "system" || role === "developer");
	const text = system.map(({ content }) => textOf(content)).join("\n");
	return (text.match(/^## .+$/gm) ?? []).map((heading) => heading.replace(/\/\S*\//, ""));
}

/** A message comes back as the host has it, as JSON. */
function saidIn(text: string): string {
	try {
		return textOf((JSON.parse(text) as { content?: unknown }).content);
	} catch {
		return text;
	}
}

/** Of the agent's own log. */
function diskBytes(gateway: Gateway, agent: Agent): number {
	const folder = join(gateway.home, "projects", projectKey(gateway.workspace(agent)));
	if (!existsSync(folder)) return 0;
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function writeTable(text: string): void {
	const page = readFileSync(TABLE_PAGE, "utf8");
	const [head, rest] = page.split(TABLE_BEGIN);
	const tail = rest?.split(TABLE_END)[1];
	if (tail !== undefined) writeFileSync(TABLE_PAGE, `${head}${TABLE_BEGIN}\n\n${text}\n\n${TABLE_END}${tail}`);
}
