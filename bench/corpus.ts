/** Messages that look like an agent's, made from a seed: the same on every machine. */
import type { NewEvent } from "../src/log/event/types.ts";
import { itemAt } from "./measure.ts";

/** A small generator of equally spread numbers in [0, 1); mulberry32. */
export function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	};
}

const COMMON = "the file test error value return const import function result run line change read src type".split(" ");
const SYLLABLES = "ba co de fi gu ha jo ka lu mi no pe qui ra so ta vu we xi zo".split(" ");
const ROLES = ["user", "assistant", "toolResult"] as const;

/** Search words that occur in about 50 %, 5 % and 0.01 % of all messages. */
export const QUERIES = {
	rare: Array.from({ length: 10 }, (_, n) => `rarity${n}Handler`),
	middle: Array.from({ length: 10 }, (_, n) => `middling${String.fromCharCode(97 + n)}`),
	frequent: ["the", "file", "test", "error", "value", "return", "const", "import", "function", "result"],
} as const;

export class MessageSource {
	readonly #next: () => number;

	constructor(seed: number) {
		this.#next = random(seed);
	}

	text(): string {
		const words: string[] = [];
		const length = 20 + Math.floor(this.#next() ** 3 * 160);
		for (let n = 0; n < length; n++) words.push(this.#word());
		for (const word of QUERIES.rare) if (this.#next() < 0.000_1) words.push(word);
		for (const word of QUERIES.middle) if (this.#next() < 0.05) words.push(word);
		return words.join(" ");
	}

	/** A message as Pi's live translation would give it. */
	event(n: number): NewEvent {
		const role = itemAt(ROLES, n % 3);
		const content = [{ type: "text", text: this.text() }];
		const tool = role === "toolResult" ? { toolName: "bash", toolCallId: `call-${n}`, isError: false } : {};
		const raw = JSON.stringify({ type: "message", id: `e${n}`, message: { role, content, ...tool, timestamp: n } });
		return { type: "Message", session: "bench", host: "pi", ts: n, entry: `e${n}`, payload: { role, form: "pi" }, raw };
	}

	#word(): string {
		const kind = this.#next();
		if (kind < 0.35) return itemAt(COMMON, Math.floor(this.#next() ** 2 * COMMON.length));
		const syllables = Array.from({ length: 2 + Math.floor(this.#next() * 2) }, () => this.#syllable());
		if (kind < 0.85) return syllables.join("");
		if (kind < 0.93) return syllables.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join("");
		return `src/${syllables.join("/")}.ts:${Math.floor(this.#next() * 500)}`;
	}

	#syllable(): string {
		return itemAt(SYLLABLES, Math.floor(this.#next() * SYLLABLES.length));
	}
}
