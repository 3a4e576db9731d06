/**
 * A restless user in the real Pi, against a provider that checks the thinking which comes back: prompts, compactions, jumps to older
 * entries, other models, levels of thinking and modes, files changed by somebody else, aborts, reloads and new processes, in any order.
 * No request may be refused, and no thinking may be dropped or stay away that is valid.
 */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readLog } from "../pi/log.ts";
import type { ModelAnswer, ModelRequest, ScriptedCall } from "../rig/answer.ts";
import { JUMP_EXTENSION, WEFT_EXTENSION } from "../rig/pi.ts";
import { type PiRpc, startPiRpc } from "../rig/pi-rpc.ts";
import { ThinkingProvider, thoughts } from "../rig/thinking-provider.ts";
import { makePiWorkspace, type PiWorkspace, sessionFiles } from "../rig/workspace.ts";
import { randomFrom, tellCount } from "./count.ts";

const SESSIONS = 3;
const STEPS = 26;
const OLDER = "claude-sonnet-4-5";
const MODELS = [
	{ id: "claude-opus-5-5", isAdaptive: true },
	{ id: "claude-sonnet-5-5", isAdaptive: true },
	{ id: "some-lab-model", isAdaptive: true },
	{ id: OLDER },
];
const MODES = ["woven", "woven", "lossless", "warp", "off"];
const LEVELS = ["off", "low", "medium", "medium"];
const NAMES = [..."abcdefgh"];
const FILES = Object.fromEntries(
	NAMES.map((name) => [`${name}.txt`, `${name}: ${"some words of it ".repeat(80)}\n`.repeat(4)]),
);
const WORDS = [
	"Go on.",
	"Always answer in one line.",
	"No: the limit is 7, not 9.",
	"We use tabs, never spaces. Look at all of it again, and say what is open.",
	"What did I say first?",
];

type Random = () => number;

function pick<Item>(random: Random, items: readonly Item[]): Item {
	const item = items[Math.floor(random() * items.length)];
	assert.ok(item !== undefined);
	return item;
}

/** Thinks before every answer; reads, changes a file or asks for a command, and answers in words in the end. */
function model(random: Random): (request: ModelRequest) => ModelAnswer {
	let step = 0;
	return ({ json }) => {
		const n = step++;
		if (((json["tools"] as unknown[] | undefined) ?? []).length === 0) return { text: `A summary, number ${n}.` };
		const thinking = thoughts(n);
		if (random() < 0.35) return { thinking, text: `Answer ${n}.` };
		const path = `${pick(random, NAMES)}.txt`;
		const calls: ScriptedCall[] = [{ id: `read_${n}`, name: "read", args: { path } }];
		if (random() < 0.3) calls.push({ id: `bash_${n}`, name: "bash", args: { command: `echo ${n} >> ${path}` } });
		return { thinking, ...(random() < 0.5 && { text: `Step ${n}.` }), toolCalls: calls };
	};
}

interface Player {
	readonly workspace: PiWorkspace;
	readonly random: Random;
	readonly done: string[];
}

const MOVES: Readonly<Record<string, (rpc: PiRpc, player: Player) => Promise<unknown>>> = {
	prompt: (rpc, { random }) => rpc.prompt(pick(random, WORDS)),
	"another prompt": (rpc, { random }) => rpc.prompt(`Read the next of ${pick(random, NAMES)}.`),
	compact: (rpc) => rpc.command("compact").catch(() => undefined),
	"compact with words": (rpc) =>
		rpc.command("compact", { customInstructions: "keep the limit" }).catch(() => undefined),
	jump: (rpc, player) => jump(rpc, player, ""),
	"jump with a summary": (rpc, player) => jump(rpc, player, " summary"),
	model: (rpc, { random }) => rpc.command("set_model", { provider: "scripted", modelId: pick(random, MODELS).id }),
	level: (rpc, { random }) => rpc.command("set_thinking_level", { level: pick(random, LEVELS) }),
	mode: (rpc, { random }) => rpc.command("prompt", { message: `/weft mode ${pick(random, MODES)}` }),
	reload: (rpc) => rpc.command("prompt", { message: "/again" }),
	"somebody else": async (_, { workspace, random }) =>
		appendFileSync(join(workspace.project, `${pick(random, NAMES)}.txt`), "by somebody else\n"),
	abort: async (rpc) => {
		const settled = rpc.next((record) => record.type === "agent_settled");
		const begun = rpc.next((record) => record.type === "tool_execution_start" || record.type === "agent_settled");
		await rpc.command("prompt", { message: "Do as much as you can." });
		await begun;
		await rpc.command("abort");
		await settled;
	},
};

async function jump(rpc: PiRpc, { workspace, random }: Player, how: string): Promise<void> {
	const entries = readLog(workspace, { types: ["Message"] }).flatMap(({ entry }) => entry ?? []);
	if (entries.length > 0) await rpc.command("prompt", { message: `/jump ${pick(random, entries)}${how}` });
}

for (let session = 1; session <= SESSIONS; session++) {
	test(`session ${session}: nothing is refused, and no valid thinking stays away`, { timeout: 600_000 }, async () => {
		using workspace = makePiWorkspace({ files: FILES, piSettings: { compaction: { keepRecentTokens: 400 } } });
		const random = randomFrom(session);
		const generation = (name: string) => (name === OLDER ? "older" : "newer");
		const onMismatch = session % 2 === 1 ? "error" : "drop";
		const provider = new ThinkingProvider({ generation, onMismatch, readsOthers: session % 3 === 0 });
		const script = provider.script(model(random));
		const player: Player = { workspace, random, done: [] };
		const told = () => `seed ${session}: ${player.done.join(", ")}`;
		for (let step = 0; step < STEPS; ) {
			const file = sessionFiles(workspace)[0];
			const args = ["--thinking", "medium", ...(file === undefined ? [] : ["--session", file])];
			const extensions = [WEFT_EXTENSION, JUMP_EXTENSION];
			const env = { WEFT_PROFILE: "thrifty", WEFT_SEAL: "thrift" };
			const limits = { contextWindow: 10_000 + 9_000 * session, timeLimitMs: 300_000 };
			await using rpc = await startPiRpc({ workspace, script, extensions, args, env, models: MODELS, ...limits });
			for (const until = step + 4 + Math.floor(random() * 8); step < Math.min(until, STEPS); step++) {
				const name = random() < 0.35 ? "prompt" : pick(random, Object.keys(MOVES));
				player.done.push(name);
				await MOVES[name]?.(rpc, player);
				if (provider.refused.length > 0) break;
			}
			const { stderr } = await rpc.end();
			player.done.push("new process");
			assert.equal(stderr, "", told());
			assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []], told());
		}
		const faults = readLog(workspace, { types: ["Fault"] }).map(({ payload }) => payload["message"]);
		assert.deepEqual(faults, [], told());
		const seals = readLog(workspace, { types: ["Seal"] }).length;
		tellCount("thinking", {
			moves: player.done.length,
			requests: provider.kept.length,
			seals,
			"left out": provider.leftOut,
		});
	});
}
