import assert from "node:assert/strict";
import { test } from "node:test";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import { runTurn } from "../../../test/rig/run-turn.ts";
import {
	type ContextEnvelope,
	type EnvelopeMessage,
	type GivenMessage,
	hostMessages,
	makeEnvelope,
} from "../envelope/envelope.ts";
import { joinTools } from "../patch/join-tools.ts";
import type { ContextPatchOp } from "../patch/operation.ts";
import type { ReplayItem } from "../patch/replay.ts";
import { makeTransform } from "../patch/transform.ts";
import { describeFailure } from "./chain.ts";
import { type ContextHandler, type HandlerContext, Handlers, type MessageHandler } from "./handler.ts";
import { endTurn, finishMessage, type PreparedRequest, prepareRequest } from "./pipeline.ts";

const item = (message: EnvelopeMessage): ReplayItem => ({ kind: "message", message });
const beside = (signal = new AbortController().signal): HandlerContext => ({ signal, now: 1_000 });
const base = makeEnvelope({ systemParts: [{ name: "base", text: "You help." }] });

function handlers(...list: readonly (readonly [name: string, handler: ContextHandler])[]): Handlers {
	const made = new Handlers();
	for (const [name, handler] of list) made.api(name).on("context", handler);
	return made;
}

function append(content: string): (cached: readonly EnvelopeMessage[]) => ContextPatchOp {
	return (cached) => ({
		op: "messages_cached_replace",
		scope: "cached",
		messages: [...cached, userMessage(content, content)],
	});
}

function prepare(made: Handlers, more: Partial<Parameters<typeof prepareRequest>[0]> = {}): Promise<PreparedRequest> {
	return prepareRequest({
		request: "r1",
		base,
		items: [item(userMessage("a", "one"))],
		handlers: made,
		beside: beside(),
		...more,
	});
}

const said = (prepared: PreparedRequest): unknown[] => hostMessages(prepared.envelope).map(({ content }) => content);
const idsOf = (list: readonly EnvelopeMessage[]): string[] => list.map(({ id }) => id);
const errors = (failures: PreparedRequest["failures"]): unknown[] =>
	failures.map(({ handler, reason, error }) => [handler, reason, (error as Error).message]);

test("the stages run in the document's order", async () => {
	const order: string[] = [];
	const made = handlers(["h", (event) => void order.push(event.reason)]);
	made.api("m").on("message", () => void order.push("message"));
	const note = (stage: string) => () => {
		order.push(stage);
		return undefined;
	};
	await runTurn({
		request: "r1",
		base,
		items: [item(userMessage("a", "one"))],
		handlers: made,
		preflight: note("preflight"),
		evaluate: note("evaluate"),
		beside: beside(),
		call: async () => {
			order.push("call");
			return [{ role: "assistant", content: "done" }];
		},
	});
	assert.deepEqual(order, ["before_request", "preflight", "ephemeral", "call", "message", "turn_end", "evaluate"]);
});

test("each handler sees the envelope after the one before it", async () => {
	const seen: string[][] = [];
	const add =
		(content: string): ContextHandler =>
		({ reason, state }) => {
			if (reason !== "before_request") return;
			const { cached } = state.envelope.messages;
			seen.push(idsOf(cached));
			return { patch: [append(content)(cached)] };
		};
	const prepared = await prepare(handlers(["one", add("b")], ["two", add("c")]));
	assert.deepEqual(seen, [["a"], ["a", "b"]]);
	assert.deepEqual(said(prepared), ["one", "b", "c"]);
	assert.deepEqual(
		prepared.transforms.map(({ transformerName, reason }) => [transformerName, reason]),
		[
			["one", "before_request"],
			["two", "before_request"],
		],
	);
});

test("a handler cannot change the envelope that it was given", async () => {
	const prepared = await prepare(
		handlers([
			"vandal",
			({ reason, state }) => {
				if (reason === "ephemeral") Object.assign(state.envelope.messages.cached[0]!, { content: "mine" });
			},
		]),
	);
	assert.deepEqual(said(prepared), ["one"]);
	assert.match(String(errors(prepared.failures)), /vandal,ephemeral,Cannot assign to read only property/);
});

test("the host's own objects are not frozen", async () => {
	const message = userMessage("a", "one");
	await prepare(handlers(["h", () => {}]), { items: [item(message)] });
	assert.ok(!Object.isFrozen(message));
});

test("the signal and the clock come beside the envelope, and the signal works", async () => {
	const controller = new AbortController();
	const prepared = await prepare(
		handlers([
			"slow",
			(event, { signal, now }) => {
				if (event.reason !== "before_request") return;
				assert.equal(now, 1_000);
				assert.equal(signal, controller.signal);
				setImmediate(() => controller.abort(new Error("stopped")));
				return new Promise(() => {}); // never listens, never ends
			},
		]),
		{ beside: beside(controller.signal) },
	);
	assert.deepEqual(errors(prepared.failures), [["slow", "before_request", "stopped"]]);
});

test("a failing persistent handler stops all transforms of the request", async () => {
	const fine: ContextHandler = ({ reason, state }) => ({
		patch:
			reason === "ephemeral"
				? [{ op: "tail_set", scope: "uncached", messages: [userMessage("u", "now")] }]
				: [append("b")(state.envelope.messages.cached)],
	});
	for (const broken of [
		() => {
			throw new Error("no");
		},
		() => ({ patch: [{ op: "tools_replace", scope: "cached", tools: [] }] as ContextPatchOp[] }),
	]) {
		const prepared = await prepare(handlers(["fine", fine], ["broken", broken]));
		assert.deepEqual([said(prepared), prepared.transforms, prepared.reasons], [["one"], [], []]);
		assert.equal(prepared.failures.length, 1);
		assert.deepEqual([prepared.failures[0]?.handler, prepared.failures[0]?.reason], ["broken", "before_request"]);
	}
});

test("a failing ephemeral handler stops all transforms of the request, the durable ones too; a seal holds", async () => {
	const seal: ContextPatchOp = {
		op: "epoch_seal",
		scope: "cached",
		seedText: "# State",
		keepFromId: "a",
		invalidateCacheReason: "seal",
	};
	const prepared = await prepare(
		handlers(
			[
				"broken",
				({ reason }) => {
					if (reason === "ephemeral") throw new Error("no");
				},
			],
			[
				"fine",
				({ reason, state }) =>
					reason === "ephemeral"
						? { patch: [{ op: "tail_set", scope: "uncached", messages: [userMessage("u", "now")] }] }
						: { patch: [append("b")(state.envelope.messages.cached)] },
			],
		),
		{ preflight: () => makeTransform("compaction", "weft/woven", [seal]) },
	);
	assert.deepEqual(said(prepared), ["# State", "one"]);
	assert.deepEqual(errors(prepared.failures), [["broken", "ephemeral", "no"]]);
	assert.deepEqual(
		[prepared.transforms.map(({ transformerName }) => transformerName), prepared.reasons],
		[["weft/woven"], ["seal"]],
	);
});

test("a handler that breaks a sound request is refused by name, and one that changes nothing stores nothing", async () => {
	const check = ({ messages }: ContextEnvelope) => (messages.cached.length === 0 ? "There is no message." : undefined);
	const empties: ContextHandler = () => ({
		patch: [{ op: "items_drop", scope: "cached", ids: ["a"], invalidateCacheReason: "less" }],
	});
	const broken = await prepare(handlers(["empties", empties]), { check });
	assert.deepEqual(said(broken), ["one"]);
	assert.deepEqual(errors(broken.failures), [
		["empties", "before_request", "No provider would take the request: There is no message."],
	]);
	const idle: ContextHandler = ({ reason, state }) =>
		reason === "ephemeral"
			? undefined
			: {
					patch: [{ op: "tools_replace", scope: "cached", tools: state.envelope.tools, invalidateCacheReason: "same" }],
				};
	const same = await prepare(handlers(["idle", idle]));
	assert.deepEqual([same.transforms, same.reasons, same.failures], [[], [], []]);
});

test("what is ephemeral leaves and does not stay", async () => {
	const prepared = await prepare(
		handlers([
			"brief",
			({ reason }) =>
				reason === "ephemeral"
					? {
							patch: [
								{ op: "items_drop", scope: "cached", ids: ["a"], invalidateCacheReason: "shorter for once" },
								{ op: "messages_uncached_append", scope: "uncached", messages: [userMessage("u", "now")] },
							],
						}
					: undefined,
		]),
	);
	assert.deepEqual(said(prepared), ["now"]);
	assert.deepEqual(idsOf(prepared.durable.messages.cached), ["a"]);
	assert.deepEqual(prepared.reasons, ["shorter for once"]);
	assert.deepEqual([prepared.transforms[0]?.reason, prepared.transforms[0]?.request], ["ephemeral", "r1"]);
});

test("compaction before the call is a transform like any other; one that fails is left out", async () => {
	const seal = (keepFromId: string): ContextPatchOp => ({
		op: "epoch_seal",
		scope: "cached",
		seedText: "# State",
		keepFromId,
		invalidateCacheReason: "seal",
	});
	const prepared = await prepare(new Handlers(), {
		preflight: () => makeTransform("compaction", "weft/woven", [seal("a")]),
	});
	assert.deepEqual(said(prepared), ["# State", "one"]);
	assert.deepEqual(
		prepared.transforms.map(({ reason, transformerName }) => [reason, transformerName]),
		[["compaction", "weft/woven"]],
	);
	const failed = await prepare(new Handlers(), {
		preflight: () => makeTransform("compaction", "weft/woven", [seal("unknown")]),
	});
	assert.deepEqual([said(failed), failed.transforms, failed.failures.length], [["one"], [], 1]);
});

test("a failing turn_end handler undoes the others of that turn", async () => {
	const envelope = makeEnvelope({ messages: [userMessage("a", "one")] });
	const made = handlers(
		["fine", ({ state }) => ({ patch: [append("b")(state.envelope.messages.cached)] })],
		["broken", () => ({ patch: [{ op: "tail_set", scope: "uncached", messages: [] }] })],
	);
	const ended = await endTurn({ envelope, handlers: made, beside: beside() });
	assert.deepEqual([ended.envelope, ended.transforms, ended.failures.length], [envelope, [], 1]);
});

test("a handler cannot change what the one before it added, nor what lies inside a frozen shell", async () => {
	const inner = { text: "mine" };
	const shell = Object.freeze({ id: "a", role: "user", content: [inner] });
	const vandal: ContextHandler = ({ reason, state }) => {
		if (reason !== "ephemeral") return;
		for (const { content } of state.envelope.messages.cached) (content as { text: string }[])[0]!.text = "yours";
	};
	const adds: ContextHandler = ({ reason, state }) => {
		if (reason !== "before_request") return;
		const messages = [...state.envelope.messages.cached, { id: "b", role: "user", content: [{ text: "added" }] }];
		return { patch: [{ op: "messages_cached_replace", scope: "cached", messages }] };
	};
	const prepared = await prepare(handlers(["adds", adds], ["vandal", vandal]), { items: [item(shell)] });
	assert.deepEqual(said(prepared), [[{ text: "mine" }]]);
	assert.equal(inner.text, "mine");
	assert.equal(prepared.failures.length, 1);
	const alone = await prepare(
		handlers(["adds", adds], ["vandal", (event) => vandalLast(event.state.envelope.messages.cached)]),
	);
	assert.equal(alone.failures[0]?.reason, "before_request");
});

function vandalLast(cached: readonly EnvelopeMessage[]): void {
	const last = cached.at(-1);
	if (last?.id === "b") Object.assign((last["content"] as object[])[0]!, { text: "yours" });
}

test("a message handler changes a message before it is stored and used", async () => {
	const made = new Handlers();
	made.api("redact").on("message", ({ message }) => ({
		message: { ...message, content: String(message["content"]).replace("key-1", "[key]") },
	}));
	const turn = await runTurn({
		request: "r1",
		base,
		items: [item(userMessage("a", "one"))],
		handlers: made,
		beside: beside(),
		call: async () => [{ id: "b", role: "assistant", content: "it is key-1" }],
	});
	assert.deepEqual(turn.items, [item({ id: "b", role: "assistant", content: "it is [key]" })]);
	assert.deepEqual(idsOf(turn.envelope.messages.cached), ["a", "b"]);
});

test("a failing message handler keeps the original; so does one that changes the role or leaves an answer out", async () => {
	const broken: readonly MessageHandler[] = [
		() => {
			throw new Error("no");
		},
		({ message }) => ({ message: { ...message, role: "user" } }),
		() => ({ message: null }),
	];
	const answer: GivenMessage = { id: "b", role: "assistant", content: "done" };
	for (const handler of broken) {
		const made = new Handlers();
		made.api("broken").on("message", handler);
		const turn = await runTurn({
			request: "r1",
			base,
			items: [item(userMessage("a", "one"))],
			handlers: made,
			beside: beside(),
			call: async () => [answer],
		});
		assert.deepEqual(turn.items, [item(answer as EnvelopeMessage)]);
		assert.deepEqual(
			turn.failures.map(({ handler: name, reason }) => [name, reason]),
			[["broken", "message"]],
		);
	}
});

test("a user's message can be left out", async () => {
	const made = new Handlers();
	made.api("filter").on("message", ({ message }) => (message.role === "user" ? { message: null } : undefined));
	const turn = await runTurn({
		request: "r1",
		base,
		items: [item(userMessage("a", "one"))],
		handlers: made,
		beside: beside(),
		call: async () => [
			{ id: "b", role: "assistant", content: "done" },
			{ id: "c", role: "user", content: "noise" },
		],
	});
	assert.deepEqual(idsOf(turn.envelope.messages.cached), ["a", "b"]);
});

test("a handler can be taken off again", async () => {
	const made = new Handlers();
	const off = made.api("h").on("context", () => {
		throw new Error("still here");
	});
	off();
	assert.deepEqual((await prepare(made)).failures, []);
});

test("a tool definition without an implementation is left out and said", () => {
	const definitions = ["read", "gone"].map((name) => ({ name, description: "", parameters: {} }));
	const joined = joinTools(definitions, new Map([["read", 1]]));
	assert.deepEqual(joined, { tools: [{ definition: definitions[0], implementation: 1 }], missing: ["gone"] });
});

/** A handler that replaces a secret in every request. */
const redactor: ContextHandler = ({ reason, state }) => {
	if (reason !== "before_request") return;
	const { cached } = state.envelope.messages;
	return {
		patch: [
			{
				op: "messages_cached_replace",
				scope: "cached",
				messages: cached.map((message) => ({ ...message, content: "•••" })),
				invalidateCacheReason: "redacted",
			},
		],
	};
};
const fails = (): never => {
	throw new Error("no");
};

test("a request is not sent without a handler that redacts", async () => {
	for (const options of [{ redacts: true }, { onFailure: "stop" }] as const) {
		const made = new Handlers();
		made.api("redactor").on("context", fails, options);
		const { stopped, failures } = await prepare(made);
		assert.deepEqual(stopped, failures[0]);
		assert.match(describeFailure(failures[0]!), /the handler redactor failed .* The request was not sent\.$/);
	}
	const passing = new Handlers();
	passing.api("redactor").on("context", fails, { redacts: true, onFailure: "pass" });
	assert.equal((await prepare(passing)).stopped, undefined);
	assert.throws(
		() => new Handlers().api("x").on("context", fails, { onFailure: "maybe" as "stop" }),
		/onFailure takes/,
	);
});

test("another handler's failure does not take the redaction with it", async () => {
	for (const reason of ["before_request", "ephemeral"]) {
		const made = new Handlers();
		made.api("redactor").on("context", redactor, { redacts: true });
		made.api("other").on("context", (event) => (event.reason === reason ? fails() : undefined));
		const prepared = await prepare(made);
		assert.deepEqual([said(prepared), prepared.stopped], [["•••"], undefined]);
		assert.deepEqual(errors(prepared.failures), [["other", reason, "no"]]);
	}
});

test("a message is withheld if the handler that redacts it fails; its calls stay", async () => {
	const made = new Handlers();
	made.api("redactor").on("message", fails, { redacts: true });
	const call = { type: "toolCall", id: "t", name: "bash", arguments: {} };
	const message = {
		role: "assistant",
		content: [{ type: "thinking", thinking: "s" }, { type: "text", text: "s" }, call],
	};
	const finished = await finishMessage(message, made.message, beside());
	const text = "[withheld: the handler redactor failed]";
	assert.deepEqual(finished.message, { role: "assistant", content: [{ type: "text", text }, call] });
	assert.deepEqual(finished.changedBy, ["redactor"]);
});
