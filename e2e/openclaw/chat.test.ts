/**
 * People who talk, in the real OpenClaw: a conversation of many days with facts told in passing, a heartbeat, a restart, a model with
 * a small window and back; a sub-agent at the border between two people; and the guard for a session that edits files.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import type { ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { openEngine } from "../../src/engine.ts";
import { type Agent, Gateway, keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { isCarrier, ScriptedModel, SEED_OPENING, textOf, type WireRequest } from "./model.ts";
import { shapeOf } from "./shape.ts";
import { isGood, waitFor, warm } from "./world.ts";

const TALK_AGENT = "few-64";
const KIT = "whatsapp:direct:kit";
/** Words of each turn's small talk. */
const STORY_CHARS = 5_600;
const TURNS = 32;
const RESTART_AT = 13;
const BEAT_AT = 8;
const TOLD: Readonly<Record<number, string>> = {
	0: "btw mums new number, 0151 2788 4410, the old one's dead",
	1: "hairdresser mon 14:20, finally",
	2: "Remember that I am allergic to hazelnuts.",
	3: "told Ines i'd water her plants while shes in Porto, till the 22nd",
	4: "can you not do those long bullet lists pls, drives me nuts",
	5: "Physio ist dienstags um halb acht bei Frau Sedlmayr",
	6: "cenamos con Maite el viernes a las nueve",
	12: "hairdresser just rang, they've pushed me to wed 8:50",
	14: "Physio doch lieber um neun",
	15: "lo de Maite mejor el sábado",
};
const HELD = [
	"2788 4410",
	"wed 8:50",
	"allergic to hazelnuts",
	"Porto",
	"bullet lists",
	"Physio doch lieber um neun",
	"Maite mejor el sábado",
];

let model: ScriptedModel;
let gateway: Gateway;

before(async () => {
	model = await ScriptedModel.start();
	gateway = new Gateway("chat", "weft", model.url);
	await gateway.start();
	await warm(gateway, TALK_AGENT);
});
after(async () => {
	await gateway?.stop();
	gateway?.remove();
	model?.stop();
});

/** What the turn's requests said. */
async function say(agent: Agent, session: string, words: string): Promise<WireRequest[]> {
	const key = keyOf(agent, session);
	const from = model.of(key).length;
	isGood(await gateway.turn(agent, session, words), words.slice(0, 80));
	return model.of(key).slice(from);
}

/** One sitting: everyday words that occur in no other, and at most one fact among them. */
function sitting(nth: number): string {
	const story = `On day ${nth} the baker of lane${nth} sold loaf${nth} to the coach, and somebody laughed by the river. `;
	const half = story.repeat(Math.ceil(STORY_CHARS / story.length / 2));
	return [half, TOLD[nth] ?? "", half].join("\n");
}

function seedOf(request: WireRequest | undefined): string {
	const users = request?.messages.filter((message) => message.role === "user" && !isCarrier(message)) ?? [];
	return users.map(({ content }) => textOf(content)).find((text) => SEED_OPENING.test(text)) ?? "";
}

function seals(agent: Agent): number {
	const engine = openEngine({ cwd: gateway.workspace(agent), home: gateway.home, host: "test", env: {} });
	try {
		return [...engine.log.read({ types: ["Seal"] })].length;
	} finally {
		engine.close();
	}
}

test("weeks of talk: what was told in passing stays in view, over a heartbeat, a restart, and a turn on a small model", async () => {
	const key = keyOf(TALK_AGENT, KIT);
	for (let nth = 0; nth < TURNS; nth++) {
		await say(TALK_AGENT, KIT, sitting(nth));
		if (nth === BEAT_AT) {
			await gateway.request("wake", { mode: "now", text: "a parcel came", sessionKey: key, agentId: TALK_AGENT });
			const beats = () =>
				gateway
					.calls()
					.some(({ call, session, given }) => call === "commitTurn" && session === key && given["isHeartbeat"]);
			await waitFor(beats, "a heartbeat");
		}
		if (nth === RESTART_AT) {
			await gateway.stop();
			await gateway.start();
		}
	}
	assert.ok(seals(TALK_AGENT) > 0, "nothing was sealed");
	const [before] = await say(TALK_AGENT, KIT, "How are you?");
	const seed = seedOf(before);
	assert.match(seed, /^[^\n]*The conversation so far/);
	assert.doesNotMatch(seed, /Repository|[Tt]he task|Done for it|nothing changed|heartbeat|a parcel came/);
	for (const words of HELD) assert.ok(wordsOf(before!).includes(words), `${words} is not in view`);
	assert.match(seed, /wed 8:50 \([\d-]+, instead of: hairdresser mon 14:20/);
	assert.doesNotMatch(seed, /^- (?:hairdresser mon|Physio ist dienstags|cenamos con Maite)/m, "as it was before");

	await gateway.switchModel(TALK_AGENT, KIT, "fake/m24");
	const [small] = await say(TALK_AGENT, KIT, "Are you still there?");
	assert.equal(small?.model, "m24");
	for (const words of HELD) assert.ok(wordsOf(small!).includes(words), `${words} is not in view of the small model`);
	await gateway.switchModel(TALK_AGENT, KIT, "fake/m64");
	const [back] = await say(TALK_AGENT, KIT, "And now?");
	assert.equal(back?.model, "m64");
	assert.ok(
		back!.tokens > small!.tokens,
		`${back!.tokens} tokens after ${small!.tokens}: the conversation is there again`,
	);
	for (const nth of [TURNS - 1, TURNS - 2])
		assert.ok(wordsOf(back!).includes(sitting(nth).split("\n")[0]!), `turn ${nth} is whole again`);
	assert.deepEqual(
		model.of(key).filter(({ kind }) => kind === "refused"),
		[],
	);

	const memory = globSync(join(gateway.home, "projects/*/memory/sessions/*/MEMORY.md")).map((file) =>
		readFileSync(file, "utf8"),
	);
	const own = memory.find((text) => text.includes("hazelnuts"));
	assert.ok(own, "MEMORY.md has what the user asked to remember");
	assert.doesNotMatch(own, /baker|this project/);
});

test("a sub-agent reads as the person that it works for does, and no further", async () => {
	const agent = "many-64";
	await warm(gateway, agent);
	await say(agent, "whatsapp:direct:mallory", "The safe of the lighthouse opens with CORMORANT-19, remember that.");
	await say(agent, "whatsapp:direct:alice", "The wifi of the harbour answers to PELICAN-77, remember that.");
	const search = (query: string) => JSON.stringify({ query, session: "all" });
	const task = `CALL:lcm_grep:${search("lighthouse")}`;
	await say(agent, "whatsapp:direct:alice", `CALL:sessions_spawn:${JSON.stringify({ task, context: "isolated" })} `);
	const childOf = () => gateway.calls().find(({ call }) => call === "prepareSubagentSpawn")?.session ?? "";
	await waitFor(() => gateway.calls().some(({ call }) => call === "onSubagentEnded"), "the sub-agent's end");
	const seen = model.of(childOf()).map(wordsOf).join("\n");
	assert.match(seen, /lighthouse/, "it has searched");
	assert.doesNotMatch(seen, /CORMORANT/, "what another person said");
	const alice = model.of(keyOf(agent, "whatsapp:direct:alice")).map(wordsOf).join("\n");
	assert.doesNotMatch(alice, /CORMORANT/);
});

test("the guard: a file that the agent has not read is not overwritten, one that it has read is", async () => {
	const agent = "desk";
	await warm(gateway, agent);
	const file = join(gateway.workspace(agent), "notes.txt");
	writeFileSync(file, "The old words.\n");
	const write = (content: string) => `CALL:write:${JSON.stringify({ path: "notes.txt", content })} `;
	const blocked = await say(agent, "guarded", write("NEW"));
	assert.equal(readFileSync(file, "utf8"), "The old words.\n");
	const results = (requests: readonly WireRequest[]) =>
		(requests.at(-1)?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
	assert.match(results(blocked).at(-1) ?? "", /read/i, "the reason says what to do");
	await say(agent, "guarded", `CALL:read:${JSON.stringify({ path: "notes.txt" })} `);
	await say(agent, "guarded", write("SEEN"));
	assert.match(readFileSync(file, "utf8"), /SEEN/);
	assert.deepEqual(
		gateway.warnings().filter((line) => /\[context-engine\]|\bweft: /.test(line)),
		[],
	);
});

/** Given by the real host, and read by no engine that keeps a conversation: accounts, skills, sandboxes. */
const UNNEEDED =
	/^(?:runtimeContext\.(?!provider|allowDeferredCompactionExecution)|runtimeSettings\b|abortSignal\b|sessionTarget\.expectedWriterRunId\b)/;
/** Only in a transcript whose first row is the user's; the real host has rows of its own before it. */
const FIRST_ROW = "admission.effectiveParentId: null";

test("the host of the conformance suite gives an engine what the real one gives, and nothing else", async () => {
	await gateway.request("sessions.compact", { key: keyOf("many-64", "whatsapp:direct:alice") });
	const real = shapesOf(gateway.calls().filter(({ session }) => session.includes("direct") || session === ""));
	for (const [call, names] of await modelledShapes()) {
		const known = real.get(call) ?? new Set();
		assert.ok(known.size > 0 || call === "dispose", `the real host never called ${call}`);
		const invented = [...names].filter((name) => !known.has(name) && name !== FIRST_ROW && !isOfCompaction(call, name));
		assert.deepEqual(invented, [], `${call}: the real host does not give these`);
		const missing = [...known].filter(
			(name) => !names.has(name) && !UNNEEDED.test(name) && !isOfCompaction(call, name),
		);
		assert.deepEqual(missing, [], `${call}: the real host gives these too`);
	}
});

/** What a compaction is given depends on who asked for it. */
function isOfCompaction(call: string, name: string): boolean {
	return (
		call === "compact" &&
		/^(?:agentId|compactionTarget|currentTokenCount|customInstructions|force|runtimeContext|tokenBudget)\b/.test(name)
	);
}

function shapesOf(calls: readonly { readonly call: string; readonly shape?: readonly string[] | undefined }[]) {
	const shapes = new Map<string, Set<string>>();
	for (const { call, shape = [] } of calls) shapes.set(call, new Set([...(shapes.get(call) ?? []), ...shape]));
	return shapes;
}

/** The calls of the suite's host, for two turns and a compaction. */
async function modelledShapes(): Promise<Map<string, Set<string>>> {
	const calls: { call: string; shape: readonly string[] }[] = [];
	const engine = {
		info: { id: "none", name: "none", ownsCompaction: true },
		assemble: ({ messages }: { messages: unknown }) => ({ messages, estimatedTokens: 100 }),
		commitTurn: () => ({ status: "committed" }),
		compact: () => ({ ok: true, compacted: false }),
	};
	const make = () =>
		new Proxy(engine, {
			get: (target, name) => {
				if (name === "info" || typeof name === "symbol" || name === "then") return Reflect.get(target, name);
				return async (params: object) => {
					calls.push({ call: name, shape: shapeOf(params ?? {}) });
					return (Reflect.get(target, name) as ((params: object) => unknown) | undefined)?.(params) ?? {};
				};
			},
		}) as unknown as ContextEngine;
	const host = new HostModel({ make, peer: "whatsapp:direct:kit", tools: ["lcm_grep"] });
	await host.turn("hello", [{ result: "a file" }]);
	await host.turn("and on");
	await host.compact();
	return shapesOf(calls);
}
