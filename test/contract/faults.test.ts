/** Each accusation that the conformance cases can make, against a small engine with that very fault and against one without any. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CASES } from "../../src/agent/openclaw/conformance/cases.ts";
import type { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import { asHostSees } from "../../src/agent/openclaw/conformance/module-subject.ts";
import { judge, runConformance } from "../../src/agent/openclaw/conformance/run.ts";
import type {
	AgentMessage,
	AssembleParams,
	CommitTurnParams,
	ContextEngine,
} from "../../src/agent/openclaw/contract.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

const TOOL = "plain_find";
const KEPT_TOKENS = 6_000;
const weigh = (message: AgentMessage) => Math.ceil(JSON.stringify(message).length / 4);

type Store = Map<string, string>;
type Part = Partial<ContextEngine>;

/** Keeps the newest words of the user and the newest groups of calls that fit. */
function plainEngine(store: Store): Part & Pick<ContextEngine, "info"> {
	return {
		info: {
			id: "plain",
			name: "plain",
			ownsCompaction: true,
			transcriptSemantics: {
				currentTurnFence: "before-current-turn-entry-v1",
				turnAdvancementIdempotency: "atomic-idempotent-v1",
			},
		},
		async commitTurn({ advancementKey, messages }: CommitTurnParams) {
			const words = JSON.stringify(messages);
			const known = store.get(advancementKey);
			if (known !== undefined && known !== words) throw new Error("committed before with other words");
			store.set(advancementKey, words);
			return { status: known === undefined ? "committed" : "duplicate" };
		},
		async assemble({ messages }: AssembleParams) {
			return { messages: fitting(messages), estimatedTokens: 1 };
		},
		async compact({ currentTokenCount = 0 }) {
			const result = { tokensBefore: currentTokenCount, tokensAfter: KEPT_TOKENS };
			return currentTokenCount > KEPT_TOKENS * 2
				? { ok: true, compacted: true, result }
				: { ok: true, compacted: false, reason: "Nothing to compact" };
		},
		async maintain() {
			return { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
		},
		async dispose() {},
	};
}

function fitting(messages: readonly AgentMessage[]): AgentMessage[] {
	const total = messages.reduce((sum, message) => sum + weigh(message), 0);
	if (total <= KEPT_TOKENS) return [...messages];
	const asked = messages.findLast(({ role }) => role === "user");
	const words = asked && weigh(asked) <= KEPT_TOKENS ? [asked] : [];
	let from = messages.length;
	let last = from;
	for (let left = KEPT_TOKENS; from > 0 && left > 0; ) {
		left -= weigh(messages[--from]!);
		// A result needs the call before it.
		if (left >= 0 && messages[from]?.role !== "toolResult") last = from;
	}
	const tail = messages.slice(last);
	return tail.includes(asked!)
		? tail.slice(tail.indexOf(asked!))
		: [...words, ...tail.filter(({ role }) => role !== "user")];
}

/** The titles of the cases that fail, by their beginning. */
async function failing(
	change: (engine: Part & Pick<ContextEngine, "info">, host: HostModel) => Part,
): Promise<string[]> {
	const failed: string[] = [];
	for (const each of CASES) {
		const store: Store = new Map();
		const make = (host: HostModel) => {
			const engine = plainEngine(store);
			return asHostSees({ ...engine, ...change(engine, host) }, host);
		};
		const { passed, title, reason } = await judge(each, { name: "plain", tools: [TOOL], make });
		if (passed === false) failed.push(`${title}: ${reason}`);
	}
	return failed;
}

test("an engine without a fault is accused of nothing", async () => {
	assert.deepEqual(await failing(() => ({})), []);
});

test("the host's own engine, by its rule, is accused of nothing: it need not declare what plugins must", async () => {
	const own = (engine: Part & Pick<ContextEngine, "info">, host: HostModel): Part => ({
		info: { id: "legacy", name: "the host's own" },
		commitTurn: undefined as never,
		assemble: async ({ messages }) => ({ messages, estimatedTokens: 1 }),
		compact: async () => host.compactItself(20_000),
		maintain: engine.maintain!,
	});
	assert.deepEqual(await failing(own), []);
});

type Fault = (engine: Part & Pick<ContextEngine, "info">, host: HostModel) => Part;
const heard: string[] = [];
const said = (text: string): AgentMessage => ({ role: "user", content: [{ type: "text", text }] });

const FAULTS: readonly [fault: string, accused: RegExp, change: Fault][] = [
	["declares nothing", /^C1:/, () => ({ info: { id: "plain", name: "plain", ownsCompaction: true } })],
	["takes every turn as new", /^C2:/, () => ({ commitTurn: async () => ({ status: "committed" }) })],
	[
		"takes other words under a known key as a duplicate",
		/^C2:/,
		(engine) => ({
			commitTurn: (params) => engine.commitTurn!(params).catch(() => ({ status: "duplicate" as const })),
		}),
	],
	[
		"loses the user's words when it makes room",
		/^a turn of forty calls/,
		() => ({
			assemble: async ({ messages }) => {
				const fits = fitting(messages);
				const isCut = fits.length < messages.length;
				return { messages: isCut ? fits.filter(({ role }) => role !== "user") : fits, estimatedTokens: 1 };
			},
		}),
	],
	[
		"says that it compacted nothing",
		/^a turn of forty calls|^a first turn over the window/,
		() => ({ compact: async () => ({ ok: false, compacted: false, reason: "failed" }) }),
	],
	[
		"sends everything, always",
		/^C4:/,
		() => ({ assemble: async ({ messages }) => ({ messages, estimatedTokens: 1 }) }),
	],
	[
		"adds to its own answer at each call",
		/^C3:/,
		() => ({ assemble: async ({ messages }) => ({ messages: [...messages, said("note")], estimatedTokens: 1 }) }),
	],
	[
		"changes the messages that it was given",
		/^C3:/,
		(engine) => ({
			assemble: (params) => {
				(params.messages as AgentMessage[]).pop();
				return engine.assemble!(params);
			},
		}),
	],
	[
		"remembers over a reset",
		/^a word said before a reset/,
		(engine) => ({
			assemble: async (params) => {
				const { messages } = await engine.assemble!(params);
				heard.push(params.prompt ?? "");
				const own = said(heard.filter((words) => words.includes("PELICAN")).join(" "));
				return { messages: [own, ...messages.slice(1)], estimatedTokens: 1 };
			},
		}),
	],
	[
		"names its tools to an agent that has none",
		/^where the agent has none/,
		(engine) => ({
			assemble: async (params) => ({
				...(await engine.assemble!(params)),
				systemPromptAddition: `Use ${TOOL} to find more.`,
			}),
		}),
	],
	[
		"has an answer for a session that has nothing",
		/^C10:/,
		(engine) => ({
			assemble: async (params) =>
				params.messages.length === 0 ? { messages: [said("hello")], estimatedTokens: 1 } : engine.assemble!(params),
		}),
	],
	["maintains without an answer", /^C12:/, () => ({ maintain: async () => undefined as never })],
	[
		"takes heartbeats for turns",
		/^C15:/,
		(engine, host) => ({
			assemble: async (params) => {
				const { messages } = await engine.assemble!(params);
				const polled = host.rows.find(({ message }) => JSON.stringify(message).includes("GANNET"));
				return { messages: polled ? [...messages, said("GANNET")] : messages, estimatedTokens: 1 };
			},
		}),
	],
];

for (const [fault, accused, change] of FAULTS) {
	test(`an engine that ${fault} is accused of it`, async () => {
		heard.length = 0;
		const titles = await failing(change);
		assert.ok(
			titles.some((title) => accused.test(title)),
			`accused of: ${titles.join("; ") || "nothing"}`,
		);
	});
}

test("every case accuses some engine", async () => {
	const titles = CASES.filter(({ title }) => !FAULTS.some(([, accused]) => accused.test(title))).map(
		({ title }) => title,
	);
	assert.deepEqual(titles, [
		"words over the window end their own turn and no other one",
		"result over the window end their own turn and no other one",
	]);
});

const PLUGIN = `
import { readSessionTranscriptVisibleMessageDelta as read } from "openclaw/plugin-sdk/session-transcript-runtime";
const engine = {
	info: { id: "bare", name: "bare" },
	ingest: async () => ({ ingested: true }),
	bootstrap: async ({ sessionId, sessionKey }) => {
		const page = await read({ agentId: "main", sessionId, sessionKey });
		if (page.kind !== "page") throw new Error("the host's transcript is not there");
		return { bootstrapped: true };
	},
	assemble: async ({ messages }) => ({ messages, estimatedTokens: 1 }),
	compact: async () => ({ ok: true, compacted: false, reason: "nothing to compact" }),
};
export default { id: "bare", register: (api) => api.registerContextEngine("bare", () => engine) };
`;

test("a plugin is loaded from its file, and reads the host's transcript through the host's own module", async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, "plugin.mjs"), PLUGIN);
	const results: [string, boolean | undefined][] = [];
	for (const only of ["C1:", "C3:", "C10:"]) {
		for await (const { title, passed } of runConformance("./plugin.mjs", { cwd: folder, only }))
			results.push([title.slice(0, title.indexOf(":")), passed]);
	}
	assert.deepEqual(results, [
		["C1", false],
		["C3", true],
		["C10", true],
	]);
	await assert.rejects(async () => {
		for await (const _ of runConformance("./none.mjs", { cwd: folder }));
	}, /no module \.\/none\.mjs/);
});
