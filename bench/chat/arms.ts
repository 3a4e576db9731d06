/** The two engines of the comparison: each gives the messages of a turn's request. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import type { ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { createContextEngine } from "../../src/agent/openclaw/live.ts";
import { cpuMs } from "../measure.ts";
import type { TalkTurn } from "./month.ts";

export const WINDOW_TOKENS = 64_000;
/** System prompt and tools. */
export const OVERHEAD_TOKENS = 9_000;

export interface SentTurn {
	/** Messages of the request, as JSON. */
	readonly messages: readonly string[];
	/** Tokens of further calls to a model, none of them cached. */
	readonly aside: number;
}

export interface Arm {
	readonly name: string;
	take(turn: TalkTurn): Promise<SentTurn>;
}

export const tokensOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + Math.ceil(length / 4), 0);

/** weft itself, in the host of the conformance suite. Measures the processor time of its calls. */
export class WeftArm implements Arm {
	readonly name = "weft";
	readonly host: HostModel;
	cpu = 0;
	#messages: readonly string[] = [];

	constructor(root: string) {
		const [cwd, home] = [join(root, "work"), join(root, "home")];
		mkdirSync(cwd);
		const make = ({ readTranscript, now }: HostModel) =>
			this.#measured(() => createContextEngine({ cwd, home, env: {}, readTranscript, now: () => now }));
		this.host = new HostModel({
			make,
			window: WINDOW_TOKENS,
			overhead: OVERHEAD_TOKENS,
			peer: "whatsapp:direct:alice",
			tools: ["lcm_grep", "lcm_describe", "lcm_expand", "ask"],
			onRequest: ({ messages }) => {
				// A provider gets no more of a message than these.
				this.#messages = messages.map(({ role, content }) => JSON.stringify({ role, content }));
			},
		});
	}

	async take({ prompt, answer, pauseMs }: TalkTurn): Promise<SentTurn> {
		this.host.now += pauseMs;
		await this.host.turn(prompt, [], { answer });
		return { messages: this.#messages, aside: 0 };
	}

	#measured(open: () => ContextEngine): ContextEngine {
		const add = <Answer>(work: () => Answer): Answer => {
			const start = cpuMs();
			const end = () => {
				this.cpu += cpuMs() - start;
			};
			const answer = work();
			if (answer instanceof Promise) return answer.finally(end) as Answer;
			end();
			return answer;
		};
		return new Proxy(add(open), {
			get: (engine, name) => {
				const value: unknown = engine[name as keyof ContextEngine];
				return typeof value === "function" ? (...given: unknown[]) => add(() => value(...given)) : value;
			},
		});
	}
}

/** The host's defaults: what it keeps free, when it asks for notes before that, and what stays raw after a compaction. */
const RESERVE_TOKENS = 20_000;
const FLUSH_TOKENS = 4_000;
const KEPT_TOKENS = 20_000;
const SUMMARY_TOKENS = 1_000;
const FLUSH_ANSWER_TOKENS = 300;

/**
 * The host's own engine by its rule: it sends everything until the window less a reserve is full, has the model write notes to a
 * file shortly before, then has it summarise all but the newest 20,000 tokens. What a model writes is not simulated: its summary
 * counts as 1,000 tokens without any fact.
 */
export class LegacyArm implements Arm {
	readonly name = "legacy (by its rule)";
	#messages: string[] = [];
	#isFlushed = false;

	async take({ prompt, answer }: TalkTurn): Promise<SentTurn> {
		let aside = 0;
		const used = OVERHEAD_TOKENS + tokensOf(this.#messages);
		if (!this.#isFlushed && used > WINDOW_TOKENS - RESERVE_TOKENS - FLUSH_TOKENS) {
			aside += used + FLUSH_ANSWER_TOKENS;
			this.#isFlushed = true;
		}
		if (used > WINDOW_TOKENS - RESERVE_TOKENS) aside += this.#compact();
		this.#messages.push(rowOf("user", prompt));
		const messages = [...this.#messages];
		this.#messages.push(rowOf("assistant", answer));
		return { messages, aside };
	}

	#compact(): number {
		const kept: string[] = [];
		for (let tokens = 0; tokens < KEPT_TOKENS && this.#messages.length > 0; ) {
			const newest = this.#messages.pop() ?? "";
			tokens += tokensOf([newest]);
			kept.unshift(newest);
		}
		const read = tokensOf(this.#messages);
		this.#messages = [rowOf("user", "x".repeat(SUMMARY_TOKENS * 4)), ...kept];
		this.#isFlushed = false;
		return read + SUMMARY_TOKENS;
	}
}

function rowOf(role: string, text: string): string {
	return JSON.stringify({ role, content: [{ type: "text", text }] });
}
