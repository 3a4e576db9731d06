/**
 * What any context engine of OpenClaw must do, each case with the calls that the real host makes. A case throws where the engine fails
 * it. `docs/conformance.md` says how to run them on an engine.
 */
import assert from "node:assert/strict";
import type { AgentMessage } from "../contract.ts";
import { HostModel, type HostOptions, type MakeEngine } from "./host-model.ts";

/** An engine to judge. */
export interface Subject {
	readonly name: string;
	/** Makes an engine over one store, as often as it is asked. */
	readonly make: MakeEngine;
	/** The names of the tools by which the engine gives back what left. */
	readonly tools: readonly string[];
}

export interface ConformanceCase {
	readonly title: string;
	/** False: the host's own engine need not do it. */
	readonly isForHost: boolean;
	readonly run: (subject: Subject) => Promise<void>;
}

interface CaseContext {
	readonly subject: Subject;
	readonly open: (options?: Partial<HostOptions>) => HostModel;
}

/** The host's own engine is asked without them. */
const FOR_PLUGINS = /^C[12]:/;

function make(title: string, work: (context: CaseContext) => Promise<void>): ConformanceCase {
	const run = (subject: Subject) =>
		work({
			subject,
			open: (options = {}) => new HostModel({ make: subject.make, tools: ["read", ...subject.tools], ...options }),
		});
	return { title, isForHost: !FOR_PLUGINS.test(title), run };
}

/** Tool results of about so many tokens, as a provider counts. */
export const results = (count: number, tokens: number, from = 0) =>
	Array.from({ length: count }, (_, nth) => {
		const line = `part ${from + nth} holds value_${(from + nth) * 7} and not much else\n`;
		return { result: line.repeat(Math.ceil((tokens * 4) / line.length)) };
	});

/** So the host counts before it says how long an answer may be. */
const HOST_MARGIN = 1.25;
const MIN_ANSWER_TOKENS = 256;

const textOf = (value: unknown): string => JSON.stringify(value);

/** Windows, each with the tokens of system prompt and tools. */
export const WINDOWS = [
	[64_000, 26_000],
	[64_000, 9_000],
	[200_000, 6_000],
] as const;

/** Ten turns of six requests. `breaks`: requests that neither extend the one before nor start over. */
export async function askSixtyTimes(host: HostModel) {
	const { window, overhead } = host.options;
	let [answered, seals, breaks] = [0, 0, 0];
	for (let nth = 0; nth < 10; nth++) {
		const from = host.requests.length;
		const sizes = [2_250, 2_250, 2_250, 2_250, 4_000].map((size, at) => results(1, size, nth * 5 + at)[0]!);
		if ((await host.turn(`Read files ${nth}.`, sizes)) !== undefined) answered++;
		for (let at = Math.max(1, from); at < host.requests.length; at++) {
			const [last, next] = [host.requests[at - 1]!, host.requests[at]!];
			const isExtended = textOf(next.messages).startsWith(textOf(last.messages).slice(0, -1));
			const isSealed = textOf(next.messages[0]) !== textOf(last.messages[0]);
			if (isSealed) seals++;
			if (!isExtended && !isSealed) breaks++;
		}
	}
	const left = host.requests.map(({ tokens }) => window - tokens * HOST_MARGIN);
	const isCramped = overhead < window / 4 && left.some((tokens) => tokens < MIN_ANSWER_TOKENS);
	return { answered, seals, breaks, refused: host.requests.filter(({ refused }) => refused).length, isCramped };
}

export const CASES: readonly ConformanceCase[] = [...cases()];

function* cases(): Generator<ConformanceCase> {
	yield make("C1: it says who it is, and declares what the host needs to use it at all", async ({ open }) => {
		const host = open();
		const { info, commitTurn, dispose } = await host.options.make(host);
		assert.ok(info.id && info.name);
		assert.deepEqual(info.transcriptSemantics, {
			currentTurnFence: "before-current-turn-entry-v1",
			turnAdvancementIdempotency: "atomic-idempotent-v1",
		});
		assert.equal(typeof commitTurn, "function");
		assert.equal(typeof dispose, "function");
	});

	yield make(
		"C2: a turn that is delivered again is a duplicate; under the same key with other words it is refused",
		async ({ open }) => {
			const host = open();
			await host.turn("Hello.");
			const turn = host.delivered;
			assert.ok(turn, "the host delivered the turn");
			const other = await host.options.make(host);
			assert.equal((await other.commitTurn(structuredClone(turn))).status, "duplicate");
			const changed = { ...turn, messages: [{ role: "user", content: "Bye.", timestamp: 2 }] };
			await assert.rejects(other.commitTurn(changed));
			await other.dispose();
		},
	);

	for (const [which, before] of [
		["first", 0],
		["later", 2],
	] as const) {
		yield make(
			`a turn of forty calls over twice the window, as the ${which} of a session, ends with an answer`,
			async ({ open }) => {
				const host = open();
				for (let nth = 0; nth < before; nth++) await host.turn(`Look at part ${nth}.`, results(3, 2_000, nth * 3));
				const first = host.requests.length;
				const asked = "Please read every ZEBRA file of the project.";
				const answer = await host.turn(asked, results(40, 3_300, 100));
				assert.deepEqual([answer !== undefined, host.errors], [true, []]);
				for (const [at, { messages }] of host.requests.slice(first).entries()) {
					assert.ok(textOf(messages).includes("ZEBRA"), `the user's words are not in request ${at}`);
				}
				assert.ok(host.compactions.length >= 1 && host.compactions.length <= 3, `${host.compactions.length}`);
				assert.ok(host.compactions.every(({ result }) => result!.tokensAfter! < result!.tokensBefore));
				assert.ok(await host.turn("And now?"), "the next message of the session is answered");
				assert.ok(await host.turn("And then?"));
				assert.deepEqual([host.errors, host.outbox], [[], 0]);
				for (const { messages } of host.requests) assert.deepEqual(unpaired(messages), []);
			},
		);
	}

	yield make(
		"a first turn over the window continues where the host's transcript cannot be read now",
		async ({ open }) => {
			const host = open();
			host.cursorSays = "unavailable";
			const answer = await host.turn("Please read every ZEBRA file.", results(24, 3_300, 100));
			assert.deepEqual([answer !== undefined, host.errors], [true, []]);
			host.cursorSays = "page";
			assert.ok(await host.turn("And now?"));
			for (const { messages } of host.requests) assert.ok(textOf(messages).includes("ZEBRA"));
		},
	);

	for (const what of ["words", "result"] as const) {
		yield make(`${what} over the window end their own turn and no other one`, async ({ open }) => {
			const host = open();
			const huge = "as long as nobody can read it ".repeat(13_000);
			const turn = what === "words" ? host.turn(huge) : host.turn("Read it.", [{ result: huge }]);
			// An engine may cope with it.
			const errors = (await turn) === undefined ? 1 : 0;
			for (const asked of ["Is the ZEBRA there?", "And the GIRAFFE?", "And the OKAPI?"]) {
				assert.notEqual(await host.turn(asked), undefined, `${asked} ${host.errors.at(-1)}`);
				assert.ok(textOf(host.requests.at(-1)!.messages).includes(asked));
			}
			assert.equal(host.errors.length, errors);
		});
	}

	yield make(
		"C4: sixty requests over ten turns, in small and large windows, with few tools and many, are all answered",
		async ({ open }) => {
			for (const [window, overhead] of WINDOWS) {
				const host = open({ window, overhead, sessionId: `w${window}-${overhead}` });
				const { answered, refused, isCramped } = await askSixtyTimes(host);
				const told = `window ${window}, overhead ${overhead}`;
				assert.equal(answered, 10, `${told}: turns without an answer`);
				// An engine that leaves compaction to the host learns from a refusal that it is due.
				const { info, dispose } = await host.options.make(host);
				await dispose();
				if (!info.ownsCompaction) continue;
				assert.equal(refused, 0, `${told}: requests that the provider refused`);
				assert.equal(isCramped, false, `${told}: no room for an answer`);
			}
		},
	);

	yield make(
		"C3: its own answer as the messages of the next call gives the same bytes, and the input stays as it was",
		async ({ open }) => {
			const host = open();
			for (let nth = 0; nth < 4; nth++) await host.turn(`Look at ${nth}.`, results(3, 4_000, nth * 5));
			const engine = await host.options.make(host);
			await engine.bootstrap({ ...host.target, runtimeContext: { tokenBudget: 64_000 } });
			const given = host.visible(host.rows.length);
			const kept = structuredClone(given);
			const ask = (messages: readonly AgentMessage[]) =>
				engine.assemble({ ...host.ids, messages, tokenBudget: 60_000, prompt: "Go on." });
			const first = await ask(given);
			assert.deepEqual(given, kept);
			const second = await ask(first.messages);
			assert.equal(textOf(second.messages), textOf(first.messages));
			assert.equal(textOf((await ask(second.messages)).messages), textOf(first.messages));
			await engine.dispose();
			const other = await host.options.make(host);
			await other.bootstrap({ ...host.target, runtimeContext: { tokenBudget: 64_000 } });
			const again = await other.assemble({ ...host.ids, messages: given, tokenBudget: 60_000, prompt: "Go on." });
			assert.equal(textOf(again.messages), textOf(first.messages), "C6: another instance gives the same bytes");
			await other.dispose();
		},
	);

	yield make(
		"a word said before a reset is in no later request, after turns, seals, compaction and a restart",
		async ({ open }) => {
			const host = open();
			await host.turn("The word is PELICAN.", results(2, 2_000));
			for (let nth = 0; nth < 3; nth++) await host.turn(`Look at ${nth}.`, results(3, 4_000, nth * 5));
			host.reset();
			const from = host.requests.length;
			await host.turn("What was the word?");
			await host.compact();
			for (let nth = 0; nth < 3; nth++) await host.turn(`Look at ${nth} again.`, results(3, 4_000, 50 + nth * 5));
			await host.compact();
			await host.turn("A long one.", results(20, 3_300, 200));
			host.reset();
			await host.turn("Once more.");
			assert.deepEqual(host.errors, []);
			for (const { messages } of host.requests.slice(from)) assert.ok(!textOf(messages).includes("PELICAN"));
			for (const { messages } of host.requests.slice(-1)) assert.ok(!textOf(messages).includes("again"));
		},
	);

	yield make("where the agent has none of its tools, no text names one", async ({ open, subject }) => {
		for (const [tools, sessionId] of [
			[["read"], "few"],
			[undefined, "unknown"],
		] as const) {
			const host = open({ tools: tools as readonly string[], sessionId });
			await host.turn("Everything.", results(22, 3_300, 100));
			await host.compact();
			await host.turn("And now?");
			assert.deepEqual(host.errors, []);
			const all = host.requests.map(({ messages, system }) => textOf([messages, system])).join("\n");
			// A tool called "ask" has the name of an everyday word.
			const names = subject.tools.filter((name) => /[_-]/.test(name));
			for (const name of names) assert.ok(!all.includes(name), `${name} is named`);
		}
	});

	yield make(
		"C10: it may be asked before a session has anything, and bootstrap may come again and again",
		async ({ open }) => {
			const host = open();
			const engine = await host.options.make(host);
			assert.deepEqual(
				(await engine.assemble({ ...host.ids, messages: [], prompt: "Hi.", tokenBudget: 1 })).messages,
				[],
			);
			await host.turn("Hello.");
			for (let nth = 0; nth < 4; nth++) await engine.bootstrap(host.target);
			const { messages } = await engine.assemble({ ...host.ids, messages: host.visible(2) });
			assert.equal(messages.length, 2);
			await engine.dispose();
			await engine.dispose();
		},
	);

	yield make("C12: maintain always answers with an object, and stops when asked to", async ({ open }) => {
		const host = open();
		await host.turn("Hello.", results(3, 2_000));
		const engine = await host.options.make(host);
		const never = { llm: { complete: () => new Promise<never>(() => {}) } };
		const answer = await engine.maintain({ ...host.target, runtimeContext: never, abortSignal: AbortSignal.abort() });
		assert.equal(typeof answer.changed, "boolean");
		for (let nth = 0; nth < 4; nth++) await host.turn(`Look at ${nth}.`, results(4, 3_000, nth * 4));
		const stop = new AbortController();
		const complete = () => {
			stop.abort();
			return new Promise<never>(() => {});
		};
		const runtimeContext = { llm: { complete }, allowDeferredCompactionExecution: true };
		const stopped = await engine.maintain({ ...host.target, runtimeContext, abortSignal: stop.signal });
		assert.equal(typeof stopped.changed, "boolean", "a model that never answers does not hold it up");
		await engine.dispose();
	});

	yield make("C15: a heartbeat between turns is in no later request", async ({ open }) => {
		const host = open();
		await host.turn("Hello.");
		const poll = new HeartbeatPoll(host);
		await poll.turn();
		for (let nth = 0; nth < 3; nth++) await host.turn(`Look at ${nth}.`, results(2, 4_000, nth * 5));
		await host.compact();
		await host.turn("And now?");
		const last = textOf(host.requests.at(-1)!.messages);
		assert.ok(!last.includes("GANNET"), "what a heartbeat said is in the context");
	});
}

/** A heartbeat run: its rows are in the transcript, and the host does not show them to anybody. */
class HeartbeatPoll {
	readonly #host: HostModel;

	constructor(host: HostModel) {
		this.#host = host;
	}

	async turn(): Promise<void> {
		const host = this.#host;
		const before = host.rows.length;
		await host.turn("[OpenClaw heartbeat poll]", [{ result: "GANNET" }], { isHeartbeat: true });
		// One that failed: nothing says what its rows are.
		await host.turn("[OpenClaw session event]", [{ result: "GANNET" }], { outcome: "aborted" });
		host.hide(before, host.rows.length);
	}
}

/** Ids of calls without a result right behind them, and of results without a call. */
export function unpaired(messages: readonly AgentMessage[]): string[] {
	const wrong: string[] = [];
	let open: string[] = [];
	for (const message of messages) {
		if (message.role === "toolResult") {
			const id = String(message["toolCallId"]);
			if (open.includes(id)) open = open.filter((each) => each !== id);
			else wrong.push(`result ${id}`);
			continue;
		}
		wrong.push(...open.map((id) => `call ${id}`));
		const blocks = Array.isArray(message["content"]) ? (message["content"] as { type: string; id?: string }[]) : [];
		open = blocks.flatMap((block) => (block.type === "toolCall" ? [String(block.id)] : []));
	}
	return wrong;
}
