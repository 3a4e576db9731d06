/**
 * Made-up sessions of any length in Pi's format: an agent that reads, edits, searches and runs tests on files that change
 * while it works. The same seed gives the same bytes. `odd` sessions have the oddities of real ones: jumps to earlier messages,
 * aborted answers, results that were lost, remarks between call and result, compactions, long pauses.
 */
import { random } from "./corpus.ts";
import { itemAt } from "./measure.ts";

export interface MadeUpOptions {
	/** Model calls. */
	readonly requests: number;
	readonly seed?: number;
	readonly odd?: boolean;
	/** About how many lines a file has. */
	readonly lines?: number;
}

export function madeUpSession(options: MadeUpOptions): string {
	const session = new MadeUpSession(options);
	return session
		.entries()
		.map((entry) => `${JSON.stringify(entry)}\n`)
		.join("");
}

type Json = Record<string, unknown>;

const FILES = 24;
const REQUESTS_PER_RUN = 12;
const START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);
const NOUNS = ["order", "ledger", "parcel", "invoice", "session", "route", "tariff", "vessel", "cargo", "berth"];
const VERBS = ["load", "store", "merge", "split", "check", "count", "route", "price", "close", "open"];

class MadeUpSession {
	readonly #options: Required<MadeUpOptions>;
	readonly #entries: Json[] = [];
	readonly #files = new Map<string, string[]>();
	/** Ids of answers that ended a run: where a jump may lead. */
	readonly #rests: string[] = [];
	readonly #chance: () => number;
	#parent: string | null = null;
	#now = START_MS;
	#calls = 0;
	#inRun = 0;

	constructor(options: MadeUpOptions) {
		this.#options = { seed: 1, odd: false, lines: 80, ...options };
		this.#chance = random(this.#options.seed);
		for (let file = 0; file < FILES; file++) this.#files.set(`src/${NOUNS[file % 10]}/${this.#word()}${file}.ts`, []);
		for (const [path, lines] of this.#files) {
			const count = Math.ceil(this.#options.lines * (0.5 + this.#chance()));
			for (let line = 0; line < count; line++) lines.push(this.#codeLine(path, line));
		}
	}

	entries(): readonly Json[] {
		const { requests } = this.#options;
		this.#entries.push({
			type: "session",
			version: 3,
			id: `made-up-${this.#options.seed}-${requests}`,
			timestamp: new Date(this.#now).toISOString(),
			cwd: "/home/dev/made-up",
		});
		this.#user();
		while (this.#calls < requests) this.#turn();
		return this.#entries;
	}

	/** One answer of the model and its consequences. */
	#turn(): void {
		const odd = this.#options.odd ? this.#chance() : 1;
		if (odd < 0.02) this.#aborted();
		else if (this.#inRun >= REQUESTS_PER_RUN * (0.5 + this.#chance())) this.#rest(odd);
		else this.#work(odd);
	}

	#work(odd: number): void {
		const count = this.#chance() < 0.15 ? 2 : 1;
		const calls = Array.from({ length: count }, () => this.#toolCall());
		this.#answer(
			[{ type: "text", text: `I look at ${this.#path()} next.` }, ...calls.map(({ block }) => block)],
			"toolUse",
		);
		if (odd < 0.05)
			this.#add({ type: "custom_message", customType: "note", content: "A remark of a hook.", display: false });
		for (const { block, name, text, isError } of calls) {
			if (odd > 0.05 && odd < 0.07) continue;
			this.#message({ role: "toolResult", toolCallId: block["id"], toolName: name, content: textOf(text), isError });
		}
	}

	#rest(odd: number): void {
		this.#answer([{ type: "text", text: `Done: ${this.#word()} works and the tests are green.` }], "stop");
		this.#rests.push(this.#parent!);
		if (odd < 0.12) this.#now += 20 * 60_000;
		if (odd > 0.12 && odd < 0.2 && this.#rests.length > 2) this.#parent = this.#pick(this.#rests.slice(-4));
		if (odd > 0.2 && odd < 0.24) this.#compaction();
		this.#user();
	}

	#user(): void {
		this.#inRun = 0;
		const text = `Please make ${this.#word()} in ${this.#path()} ${this.#pick(VERBS)} the ${this.#pick(NOUNS)} first, then run the tests.`;
		this.#message({ role: "user", content: textOf(text) });
	}

	#aborted(): void {
		this.#answer([{ type: "text", text: "I was just about to" }], "aborted");
		this.#user();
	}

	#compaction(): void {
		this.#add({
			type: "compaction",
			summary: "The user wants the ledger fixed; three files were changed.",
			firstKeptEntryId: this.#rests.at(-1),
			tokensBefore: 50_000,
		});
	}

	#toolCall(): { block: Json; name: string; text: string; isError: boolean } {
		const chance = this.#chance();
		const id = `call_${this.#calls}_${this.#entries.length}_${Math.floor(this.#chance() * 1e9)}`;
		const path = this.#path();
		const lines = this.#files.get(path) ?? [];
		const call = (name: string, args: Json, text: string, isError = false) => ({
			block: { type: "toolCall", id, name, arguments: args },
			name,
			text,
			isError,
		});
		if (chance < 0.4) return call("read", { path }, `${lines.join("\n")}\n`);
		if (chance < 0.65) {
			const at = Math.floor(this.#chance() * lines.length);
			const oldText = itemAt(lines, at);
			lines[at] = this.#codeLine(path, at);
			return call("edit", { path, oldText, newText: lines[at] }, `Successfully replaced text in ${path}.`);
		}
		if (chance < 0.8) {
			const failed = this.#chance() < 0.3;
			const output = Array.from({ length: 12 }, (_, n) => `${failed && n === 7 ? "✗" : "✓"} ${this.#word()} ${n} ms`);
			if (failed)
				output.push(`AssertionError: expected ${this.#word()} to equal ${this.#word()}`, "Command exited with code 1");
			return call("bash", { command: "npm test" }, output.join("\n"), failed);
		}
		const found = Array.from(
			{ length: 15 },
			() => `${this.#path()}:${Math.floor(this.#chance() * 90)}: ${this.#word()}`,
		);
		return call("bash", { command: `grep -rn ${this.#word()} src` }, found.join("\n"));
	}

	#answer(content: readonly Json[], stopReason: string): void {
		this.#calls++;
		this.#inRun++;
		this.#message({
			role: "assistant",
			content,
			api: "anthropic-messages",
			provider: "anthropic",
			model: "claude-sonnet-4-5",
			stopReason,
		});
	}

	#message(message: Json): void {
		this.#now += 4_000 + Math.floor(this.#chance() * 20_000);
		this.#add({ type: "message", message: { ...message, timestamp: this.#now } });
	}

	#add(entry: Json): void {
		const id = `e${this.#entries.length}`;
		const timestamp = new Date(this.#now).toISOString();
		this.#entries.push({ ...entry, id, parentId: this.#parent, timestamp });
		this.#parent = id;
	}

	#codeLine(path: string, line: number): string {
		const name = path.slice(path.lastIndexOf("/") + 1, -3);
		return `\tconst ${this.#word()}${line} = ${this.#pick(VERBS)}${capital(name)}(${this.#word()}, ${line});`;
	}

	#word(): string {
		return `${this.#pick(VERBS)}${capital(this.#pick(NOUNS))}${Math.floor(this.#chance() * 900) + 100}`;
	}

	#path(): string {
		// Work stays near one place for a while, as real work does.
		const near = Math.floor(this.#calls / 40) * 5;
		const at = (near + Math.floor(this.#chance() * 6)) % FILES;
		return itemAt([...this.#files.keys()], at);
	}

	#pick<T>(from: readonly T[]): T {
		return itemAt(from, Math.floor(this.#chance() * from.length));
	}
}

function textOf(text: string): readonly Json[] {
	return [{ type: "text", text }];
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
