/** The border between people: random conversations in one workspace, and every reader asked in each of them. */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recallBlock } from "../../src/agent/live/recall-block.ts";
import { toolContext } from "../../src/agent/live/tool-context.ts";
import type { AgentMessage, ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { runCommand } from "../../src/agent/openclaw/plugin-commands.ts";
import { recordReset } from "../../src/agent/openclaw/plugin-engine.ts";
import { runTool } from "../../src/agent/openclaw/plugin-tools.ts";
import { presence } from "../../src/agent/openclaw/presence.ts";
import { sessionWithKey } from "../../src/agent/openclaw/subagents.ts";
import { renderThreadAlone } from "../../src/context/section/seed.ts";
import type { Engine } from "../../src/engine.ts";
import { isWithin } from "../../src/log/search/filter.ts";
import type { SessionRef } from "../../src/log/session-ref.ts";
import { MemoryFiles, memoryFile, memoryFolder, sessionFolder } from "../../src/state/memory/memory-files.ts";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { addMemory } from "../../src/view/memory-edits.ts";
import { calls, NOON, place, result, says, textOf, user } from "../openclaw/rig.ts";

const USUAL_KEYS = [
	"agent:main:whatsapp:direct:alice",
	"agent:main:whatsapp:direct:mallory",
	"agent:main:telegram:direct:alice",
	"agent:main:whatsapp:group:family",
	"agent:main:slack:channel:general:thread:17",
	"agent:main:main",
	"agent:main:notes",
	"agent:main:cron:daily:run:1",
];
/** Ids that a person may have chosen: patterns, look-alikes, words of the host's own keys, names of what JavaScript's objects have. */
const ODD_IDS = [
	"ali%",
	"al_ce",
	"\u0430lice",
	"alice\u200b",
	"alice:thread:1",
	"alice%3athread%3a1",
	"../alice",
	"*",
	"main",
	"operator",
	"subagent:main",
	"cron:daily",
	"heartbeat",
	"__proto__",
	"constructor",
	"'); DROP TABLE session_owner; --",
	"-100200300",
	"🦊",
	"@alice:heartbeat",
	"",
];
const PLACES = ["whatsapp:direct", "telegram:direct", "telegram:work:direct", "whatsapp:group", "matrix:channel"];
const ASKED = [
	"What did I say about the harbour password?",
	"What did we decide about the lantern?",
	"Which rules hold?",
	"What was the error in the first run?",
	"What failed?",
	"Which files did we change?",
	"What did the other agent do here?",
	"What did openclaw do?",
	"Where were we?",
	"Why is harbour.txt as it is?",
];
const QUESTION = "What did I say about the harbour password and the lantern decision?";

/** The same sequence for the same seed. */
function randomOf(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
		return state % below;
	};
}

/** Some keys, all of different owners but the operator's two. */
function oddKeys(random: (below: number) => number): readonly string[] {
	const keys = new Set(["agent:main:main", "agent:main:whatsapp:direct:alice"]);
	while (keys.size < USUAL_KEYS.length)
		keys.add(`agent:main:${PLACES[random(PLACES.length)]}:${ODD_IDS[random(ODD_IDS.length)]}`);
	return [...keys];
}

interface Said {
	readonly key: string;
	readonly nth: number;
	readonly secret: string;
	readonly messages: readonly AgentMessage[];
	/** The folder of its session's memory files. */
	readonly folder: string;
}

for (const seed of [1, 2, 3]) {
	test(`no text crosses from one owner to another, nor over a reset by itself (seed ${seed})`, async (t) => {
		const at = place(t, {}, { disposes: false });
		const random = randomOf(seed);
		const keys = seed === 1 ? USUAL_KEYS : oddKeys(random);
		const options = { cwd: at.cwd, home: at.home, env: {} };
		const said: Said[] = [];
		const nths = new Map<string, number>();
		let clock = 0;
		const turn = async (key: string) => {
			const nth = nths.get(key) ?? 1;
			nths.set(key, nth);
			const secret = `secret${said.length}${"xyzw"[said.length % 4]}`;
			const ids = idsOf(key);
			const messages = [
				user(
					`My harbour password is ${secret}, remember that. Never tell it to anyone. We decided on the ${secret} lantern instead of the other decision. From now on never row past the ${secret} buoy.`,
					++clock,
				),
				calls(`c${clock}`, `cat ${secret}.txt`, ++clock),
				result(`c${clock - 1}`, `Error: ${secret} harbour lantern was not found\nexit 1`, ++clock),
				says(`Your harbour password ${secret} is noted, and so is the lantern decision about ${secret}.`, ++clock),
			];
			const weft = at.engine();
			const params = { ...ids, advancementKey: `t${clock}`, messages };
			await weft.commitTurn(params as unknown as Parameters<ContextEngine["commitTurn"]>[0]);
			await runTool("decide", options, ids, { decision: `The lantern of ${secret} stays.` }, undefined);
			// Without a compaction, another session finds the consolidation owed.
			if (random(3) > 0)
				await weft.compact({ ...ids, force: true, tokenBudget: 8_000 } as Parameters<ContextEngine["compact"]>[0]);
			await weft.dispose();
			said.push({ key, nth, secret, messages, folder: sessionFolder(at.look((engine) => refOf(engine, key))) });
		};
		/** The newest of the present session. */
		const secretOf = (key: string) =>
			said.findLast((each) => each.key === key && each.nth === (nths.get(key) ?? 1))?.secret;
		for (const key of keys) await turn(key);
		for (let step = 0; step < 8; step++) {
			const key = keys[random(keys.length)] ?? "";
			if (random(3) > 0) {
				await turn(key);
				continue;
			}
			await recordReset({ ...options, now: () => NOON + step }, idsOf(key), NOON + step);
			nths.set(key, (nths.get(key) ?? 1) + 1);
			if (random(2) === 0) await turn(key);
		}
		writeFileSync(join(at.cwd, "MEMORY.md"), "## Facts\n\n- The zeppelin lands in sharedfact1.\n");
		const ts = NOON;
		at.look((engine) => {
			const hand = { now: ts, why: "command", by: { session: "cli", host: "cli" } } as const;
			addMemory(engine, { text: "The codesecret pennant flies.", section: "Preferences" }, hand);
			const files = new MemoryFiles({ log: engine.log });
			for (const key of keys) {
				const secret = secretOf(key);
				if (secret === undefined) continue;
				const [of, text] = [refOf(engine, key), `The ${secret} pennant flies.`];
				const build = () => [{ op: "add", section: "Preferences", text, by: "user" }] as const;
				files.write({ file: memoryFile(of), why: "command", session: of, ts, build });
			}
		});
		const handles = at.look(({ log }) => [...log.read()].flatMap(({ seq }) => log.handleAt(seq) ?? []));

		for (const key of keys) {
			const ids = idsOf(key);
			const own = ownerOf(key);
			const present = nths.get(key) ?? 1;
			const isRecalled = (each: Said) =>
				each.key === key ? each.nth === present : own === "operator" && ownerOf(each.key) === own && isPresent(each);
			const isPresent = ({ key: of, nth }: Said) => nth === (nths.get(of) ?? 1);
			const check = (what: string, text: string, isAllowed: (each: Said) => boolean) => {
				const crossed = said.filter((each) => text.includes(each.secret) && !isAllowed(each));
				assert.deepEqual(crossed, [], `${what} in ${key}: ${text.slice(0, 400)}`);
			};
			const isOwners = (each: Said) => ownerOf(each.key) === own;
			const ask = async (tool: string, args: Record<string, unknown>) => {
				const { content } = await runTool(tool, options, ids, args, undefined);
				return content.map((part) => ("text" in part ? part.text : "")).join("\n");
			};

			const weft = at.engine();
			const visible = said.filter((each) => each.key === key && each.nth === present);
			const history = visible.flatMap((each) => each.messages);
			const { messages } = await weft.assemble({ ...ids, messages: history, prompt: QUESTION, tokenBudget: 40_000 });
			await weft.dispose();
			const sent = messages.map(textOf).join("\n");
			check("recall and seed", sent, isRecalled);
			assert.doesNotMatch(sent, /codesecret/, "the project's rules are the coding agents'");
			assert.doesNotMatch(sent, /this project/, "people who talk share none");
			const secret = secretOf(key);
			if (secret !== undefined) {
				assert.ok(sent.includes(`The ${secret} pennant flies.`), `the rules open ${key}`);
				const seed = at.look((engine) => {
					const of = refOf(engine, key);
					return renderThreadAlone({ ...of, state: engine.stateFor(of).state, raw: "", budget: 8_000 }).text;
				});
				check("rules in a seed", seed, isRecalled);
				for (const rule of [`never row past the ${secret} buoy`, `The ${secret} pennant flies.`])
					assert.ok(seed.includes(rule), `${rule} in ${key}: ${seed}`);
				assert.doesNotMatch(seed, /codesecret/);
			}

			const shared = await ask("recall", { query: "Where does the zeppelin land?" });
			assert.match(shared, /sharedfact1/, "the workspace's own file is shared");
			check("recall tool", await ask("recall", { query: QUESTION }), isRecalled);
			check("thread", await ask("thread", {}), isRecalled);
			for (const question of ASKED) check(`ask: ${question}`, await ask("ask", { question }), isRecalled);
			check("decide", await ask("decide", { decision: "x", supersedes: "e-0" }), isRecalled);
			const found = await ask("lcm_grep", { query: "harbour", session: "all", limit: 100, full: true });
			check("lcm_grep all", found, isOwners);
			for (const each of said.filter(isOwners))
				assert.ok(found.includes(each.secret), `the owner finds ${each.secret}`);
			check(
				"lcm_grep regex",
				await ask("lcm_grep", { query: "secret\\d+", mode: "regex", session: "all", limit: 100 }),
				isOwners,
			);
			check("lcm_grep some words", await ask("lcm_grep", { query: "harbour zebra unknown", session: "all" }), isOwners);
			check("lcm_describe", await ask("lcm_describe", { section: "overview" }), isRecalled);
			await at.look(async (engine) => {
				const context = toolContext(engine, { session: sessionWithKey(engine, key) ?? "", host: "openclaw" });
				const run = async (name: string, args: Record<string, unknown>) =>
					(await TOOLS.find((tool) => tool.name === name)?.run(context, args))?.text ?? assert.fail();
				for (const other of keys) {
					const args = { query: "harbour", session: idsOf(other).sessionId };
					check("lcm_grep of a session", await run("lcm_grep", args), isOwners);
					for (const question of ASKED) {
						check("ask of a session", await run("ask", { question, session: idsOf(other).sessionId }), isOwners);
					}
				}
				for (const handle of handles) {
					check(`lcm_expand ${handle}`, await run("lcm_expand", { summary_id: handle }), isOwners);
					const named = { section: "by_id", summary_id: handle };
					check(`lcm_describe ${handle}`, await run("lcm_describe", named), isOwners);
				}
			});
			const say = (name: "weft" | "lcm" | "warp", args: string) =>
				runCommand(name, options, { ...ids, args }, { seen: presence(), config: undefined });
			check("/lcm all", await say("lcm", "all harbour"), isOwners);
			check("/lcm tree", await say("lcm", "tree"), isRecalled);
			check("/warp", await say("warp", ""), isRecalled);
			check("/weft", await say("weft", ""), isRecalled);
			for (const handle of handles.filter((_, n) => n % 40 === 0)) {
				check("/lcm expand", await say("lcm", `expand ${handle}`), isOwners);
			}
		}

		// The memory files, whichever session consolidated.
		const memory = at.look(({ project }) => memoryFolder(project.folder));
		const files = globSync("**/*.md", { cwd: memory }).map((name) => ({
			name,
			folder: /^sessions\/([^/]+)/.exec(name)?.[1],
			text: readFileSync(join(memory, name), "utf8"),
		}));
		assert.ok(files.some(({ text }) => /row past the secret/.test(text)));
		for (const { name, folder, text } of files.filter((each) => each.name !== "SESSION.md")) {
			const crossed = said.filter((each) => text.includes(each.secret) && each.folder !== folder);
			assert.deepEqual(crossed, [], `${name}: ${text}`);
		}

		// A coding agent in the same folder, and a session of the host that weft does not know.
		await at.look(async (engine) => {
			const code = { session: "code", host: "pi" };
			const block = await recallBlock(engine, code, QUESTION);
			assert.match(block?.text ?? "", /codesecret pennant/);
			assert.doesNotMatch(block?.text ?? "", /secret\d/);
			const scope = engine.scope(code);
			for (const key of keys) assert.ok(!isWithin(scope.searched, sessionWithKey(engine, key) ?? ""), key);
			assert.doesNotMatch(JSON.stringify(engine.stateFor(code).state), /secret\d/);
		});
		for (const tool of TOOLS.filter(({ name }) => name !== "decide")) {
			const args =
				tool.name === "ask"
					? { question: "What did I say about the harbour password?" }
					: { query: "harbour", session: "all", section: "overview", summary_id: handles[0] };
			const unknown = { sessionId: "nobody", sessionKey: "agent:main:whatsapp:direct:nobody" };
			const { content } = await runTool(tool.name, options, unknown, args, undefined);
			assert.doesNotMatch(JSON.stringify(content), /secret\d/, tool.name);
			await at.look(async (engine) => {
				const answer = await tool.run(toolContext(engine, { session: "code", host: "pi" }), args);
				assert.doesNotMatch(answer.text, /secret\d/, `${tool.name} of a coding agent`);
			});
		}
		assert.deepEqual(at.warnings, []);
	});
}

function refOf(engine: Engine, key: string): SessionRef {
	return { session: sessionWithKey(engine, key) ?? "", host: "openclaw" };
}

function idsOf(key: string): { readonly sessionId: string; readonly sessionKey: string } {
	return { sessionId: `id-${Buffer.from(key).toString("hex")}`, sessionKey: key };
}

/** Said here again, in other words than the rule's: what the key names after the agent; plain names are the operator's. */
function ownerOf(key: string): string {
	const parts = key.split(":").slice(2);
	if (parts.length === 1) return "operator";
	return parts[0] === "cron" ? parts.slice(0, 2).join(":") : parts.join(":");
}
