import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasThinking, withoutThinking } from "../message/thinking.ts";
import type { ThinkingRule } from "../message/thinking-rules.ts";
import {
	extendPrefix,
	leaveOutThinking,
	misplacedThinking,
	type SeenPrefix,
	type ThinkingFacts,
} from "./bound-thinking.ts";
import { hashMessage } from "./envelope/bytes.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";

const user = (id: string, text = id): EnvelopeMessage => ({ id, role: "user", content: [{ type: "text", text }] });
const result = (id: string, call: string): EnvelopeMessage => ({
	id,
	role: "toolResult",
	toolCallId: call,
	content: [{ type: "text", text: id }],
});
const answer = (id: string, more: object = {}): EnvelopeMessage => ({
	id,
	role: "assistant",
	content: [
		{ type: "thinking", thinking: `of ${id}`, thinkingSignature: `sig ${id}` },
		{ type: "toolCall", id: `call ${id}`, name: "read", arguments: {} },
	],
	...more,
});

const TURNS = [
	user("seed"),
	answer("a"),
	result("ra", "call a"),
	answer("b"),
	result("rb", "call b"),
	answer("c"),
	result("rc", "call c"),
];
const facts = (rule: ThinkingRule, ...displaced: readonly string[]): ThinkingFacts => ({
	rule,
	form: "pi",
	displaced: new Set(displaced),
});
const leftOut = (messages: readonly EnvelopeMessage[], of: ThinkingFacts) => leaveOutThinking(messages, of).leftOut;

test("a model that binds gets no thinking from before the change; what it wrote since stays", () => {
	const { messages, leftOut: ids } = leaveOutThinking(TURNS, facts("bound", "a", "ra", "b", "rb"));
	assert.deepEqual(ids, ["a", "b"]);
	assert.deepEqual(
		messages.map((message) => [message.id, hasThinking(message)]),
		TURNS.map(({ id }) => [id, id === "c"]),
	);
	assert.deepEqual(messages[1]?.["content"], [{ type: "toolCall", id: "call a", name: "read", arguments: {} }]);
	assert.ok(hasThinking(TURNS[1]!), "the message itself stays whole");
});

test("with all thinking kept, the same list comes back", () => {
	assert.equal(leaveOutThinking(TURNS, facts("keep", "a", "b", "c")).messages, TURNS);
	assert.equal(leaveOutThinking(TURNS, facts("bound")).messages, TURNS);
});

test("where thinking is off, none is sent", () => {
	assert.deepEqual(leftOut(TURNS, facts("off")), ["a", "b", "c"]);
});

test("manual thinking stays in the turn that was the newest at the change, for the whole epoch", () => {
	const atSeal = facts("manual", "a", "ra", "b", "rb");
	assert.deepEqual(leftOut(TURNS.slice(0, 5), atSeal), ["a"], "the run continues from b");
	assert.deepEqual(leftOut(TURNS, atSeal), ["a"], "and b stays as it was sent");
	const answered = [...TURNS.slice(0, 5), user("next")];
	assert.deepEqual(leftOut(answered, atSeal), ["a"]);
	assert.deepEqual(
		leftOut([user("seed"), { ...answer("a"), content: answer("a")["content"] }, user("next")], facts("manual", "a")),
		["a"],
	);
});

test("redacted thinking and Anthropic's own form count; thinking without a signature is a text", () => {
	const redacted = {
		id: "a",
		role: "assistant",
		content: [
			{ type: "redacted_thinking", data: "x" },
			{ type: "text", text: "a" },
		],
	};
	const unsigned = {
		id: "b",
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "b" },
			{ type: "text", text: "b" },
		],
	};
	const signed = {
		id: "c",
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "c", signature: "s" },
			{ type: "text", text: "c" },
		],
	};
	assert.deepEqual(
		leftOut([user("u"), redacted, unsigned, signed, user("v")], {
			...facts("bound", "a", "b", "c"),
			form: "anthropic",
		}),
		["a", "c"],
	);
});

test("the thinking of another model is the agent's: it sends it as text or not at all", () => {
	const messages = [
		user("u"),
		answer("a", { model: "claude-opus-5-5" }),
		result("ra", "call a"),
		answer("b", { model: "gpt-6" }),
		result("rb", "call b"),
	];
	const of = facts("bound", "a", "b");
	assert.deepEqual(leftOut(messages, { ...of, model: "claude-opus-5-5" }), ["a"]);
	for (const model of [
		"anthropic/claude-opus-5-5-20261001",
		"us.anthropic.claude-opus-5-5-v1:0",
		"claude-opus-5-5@default",
	])
		assert.deepEqual(leftOut(messages, { ...of, model }), ["a"], `${model} is the same model`);
	assert.deepEqual(leftOut(messages, of), ["a", "b"]);
});

const prefixOf = (messages: readonly EnvelopeMessage[]) => messages.map(hashMessage).reduce(extendPrefix, "");
const seenFrom = (made: ReadonlyMap<string, SeenPrefix>) => (id: string) => made.get(id);

test("the prefix that the model saw decides: a text for one request alone, other tools, a switch there and back", () => {
	const last = user("last");
	const prefix = (until: number, ...more: EnvelopeMessage[]): SeenPrefix => ({
		head: "h",
		messages: prefixOf([...TURNS.slice(0, until), ...more]),
		isOurs: true,
	});
	const a = ["a", prefix(1)] as const;
	const b = ["b", prefix(3)] as const;
	const aside = { ...facts("bound"), seen: seenFrom(new Map([a, ["b", prefix(3, last)]])) };
	assert.deepEqual(leftOut(TURNS, aside), ["b", "c"], "c is not known, and b before it is gone");
	const tools = { ...facts("bound"), seen: seenFrom(new Map([a, b, ["c", prefix(5)]])) };
	assert.deepEqual(leftOut(TURNS, { ...tools, head: "h" }), []);
	assert.deepEqual(leftOut(TURNS, { ...tools, head: "other" }), ["a", "b", "c"]);
	assert.deepEqual(
		leftOut(TURNS, { ...tools, displaced: new Set(["a"]), head: "h" }),
		[],
		"what was sent is known better",
	);
});

test("in the agent's own requests only thinking that weft moved is left out", () => {
	const elsewhere = (isOurs: boolean): SeenPrefix => ({ head: "h", messages: "other", isOurs });
	const of = {
		...facts("bound", "c"),
		isAgents: true,
		seen: seenFrom(
			new Map([
				["a", elsewhere(false)],
				["b", elsewhere(true)],
			]),
		),
	};
	assert.deepEqual(leftOut(TURNS.slice(0, 5), of), ["b"]);
	assert.deepEqual(leftOut(TURNS, { ...of, seen: undefined }), []);
});

/** A session with a provider: what each answer's thinking is bound to, and what the log knows of it. */
class Session {
	messages: EnvelopeMessage[] = [user("first")];
	readonly #bound = new Map<string, string>();
	readonly #seen = new Map<string, SeenPrefix>();
	displaced = new Set<string>();
	readonly #knows: boolean;
	#count = 0;
	sent: readonly EnvelopeMessage[] = [];

	constructor(knows: boolean) {
		this.#knows = knows;
	}

	facts(): ThinkingFacts {
		return { ...facts("bound"), displaced: this.displaced, seen: this.#knows ? seenFrom(this.#seen) : undefined };
	}

	ask(aside = false): void {
		const { messages } = leaveOutThinking(this.messages, this.facts());
		this.sent = messages;
		for (const [at, message] of messages.entries()) {
			const bound = this.#bound.get(message.id);
			if (bound === undefined) continue;
			const now = JSON.stringify(messages.slice(0, at));
			if (hasThinking(message)) assert.equal(now, bound, "a provider refuses it");
			else assert.notEqual(now, bound, "it was left out although it is valid");
		}
		assert.deepEqual(misplacedThinking(messages, this.facts()).size, 0);
		const n = ++this.#count;
		const shown = aside ? [...messages, user(`aside ${n}`)] : messages;
		const made = Object.freeze(answer(`answer ${n}`));
		this.#bound.set(made.id, JSON.stringify(shown));
		this.#seen.set(made.id, { head: "", messages: prefixOf(shown), isOurs: true });
		this.messages = [...this.messages, made, result(`result ${n}`, `call answer ${n}`)];
		if (aside && !this.#knows) this.displaced.add(made.id);
	}

	/** A seal. */
	cut(share: number): void {
		const keep = Math.floor(share * this.messages.length);
		const from = this.messages.findIndex(({ role }, at) => at >= keep && role === "assistant");
		if (from < 0) return;
		this.messages = [user(`seed ${++this.#count}`), ...this.messages.slice(from)];
		this.#displaceFrom(0);
	}

	/** A patch of one message. */
	prune(share: number): void {
		const at = Math.floor(share * this.messages.length);
		const message = this.messages[at];
		if (message?.role !== "toolResult") return;
		this.messages = this.messages.map((each) =>
			each === message ? { ...each, content: [{ type: "text", text: `pruned ${++this.#count}` }] } : each,
		);
		this.#displaceFrom(at);
	}

	#displaceFrom(at: number): void {
		for (const { id } of this.messages.slice(at)) this.displaced.add(id);
	}
}

const step = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(["ask", 0] as const) },
	fc.tuple(fc.constantFrom("aside", "cut", "prune"), fc.double({ min: 0, max: 0.999, noNaN: true })),
);

for (const [name, knows] of [
	["with the manifests", true],
	["without them", false],
] as const) {
	test(`${name}: whatever happens, nothing is refused, nothing valid is left out, and between changes bytes only grow`, () => {
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
				const session = new Session(knows);
				let before: readonly EnvelopeMessage[] | undefined;
				for (const [kind, share] of steps) {
					if (kind === "cut" || kind === "prune") {
						session[kind](share);
						before = undefined;
						continue;
					}
					session.ask(kind === "aside");
					const { sent } = session;
					if (before) assert.deepEqual(sent.slice(0, before.length), before, "bytes that were sent have changed");
					before = sent;
				}
			}),
		);
	});
}

test("a frozen message has one copy without thinking", () => {
	const message = Object.freeze(answer("a"));
	assert.equal(withoutThinking(message), withoutThinking(message));
});
