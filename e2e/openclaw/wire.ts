/**
 * What we answered, beside what left the host: our messages stand there in our order, unchanged but for what the host
 * writes before and behind a user's words (the time, a line about its runtime), and the turn under way follows them.
 */
import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/openclaw/contract.ts";
import { type Agent, keyOf } from "./gateway.ts";
import { isCarrier, SEED_OPENING, textOf, type WireRequest } from "./model.ts";
import type { WireMessage } from "./protocol.ts";
import type { World } from "./world.ts";

const ROLES: Readonly<Record<string, string>> = { user: "user", assistant: "assistant", toolResult: "tool" };

export function assertOnWire({ weft, model }: World, agent: Agent, session: string): void {
	const key = keyOf(agent, session);
	const assembled = weft.calls().filter(({ call, session: of, error }) => call === "assemble" && of === key && !error);
	const answers = assembled.map(({ messages = [] }) => messages);
	let sealed = 0;
	let from = 0;
	for (const [at, request] of model.of(key).entries()) {
		const spoken = spokenIn(request);
		// Calls come in the order of requests, at least one for each; the newest that fits is the one that was sent.
		const found = answers.findIndex((messages, nth) => nth >= from && differenceIn(spoken, messages) === undefined);
		const why = answers.slice(from, from + 3).map((messages) => differenceIn(spoken, messages));
		assert.ok(found >= 0, `request ${at} begins with none of our answers: ${why.join(" | ")}`);
		from = found;
		const seeds = spoken.filter((message) => SEED_OPENING.test(said(message)));
		assert.ok(seeds.length <= 1, `request ${at} has ${seeds.length} seeds`);
		sealed += seeds.length;
	}
	assert.ok(sealed > 0, "nothing was sealed");
}

function spokenIn({ messages }: WireRequest): WireMessage[] {
	const isSpoken = (message: WireMessage) => message.role in { user: 1, assistant: 1, tool: 1 } && !isCarrier(message);
	return messages.filter(isSpoken);
}

/** Undefined: the request begins with these messages. */
function differenceIn(spoken: readonly WireMessage[], messages: readonly AgentMessage[]): string | undefined {
	for (const [at, message] of messages.entries()) {
		const wire = spoken[at];
		if (!wire) return `it ends at ${at} of ${messages.length}`;
		if (wire.role !== ROLES[message.role]) return `message ${at} is ${wire.role}, not ${message.role}`;
		const own = said(message);
		const isSame = wire.role === "user" ? said(wire).includes(own) : said(wire) === own;
		if (!isSame) return `message ${at} (${wire.role}) says ${said(wire).slice(0, 80)}, not ${own.slice(0, 80)}`;
	}
	return undefined;
}

/** Text alone; the host writes calls and their ids anew for each provider. */
function said(message: WireMessage | AgentMessage): string {
	return textOf(message["content"]).trim();
}
