/** A turn in a long conversation reads and parses no more than one in a short conversation: counted, not timed. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { test } from "node:test";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import { createContextEngine } from "../../src/agent/openclaw/live.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

/** Enough for two pauses of the talk, and for a seal in most runs. */
const COUNTED_TURNS = 12;
const MINUTE_MS = 60_000;
/** Seals fall into the counted turns once more or less. */
const SLACK = 1.5;
/** A long thread adds some; a turn that tries few is not worse for it. */
const MAX_TRIED = 60_000;

const wordFor = (n: number) => `${"bcdfghklmnprst"[n % 14]}a${"lmnrst"[n % 6]}o${"ktvz"[n % 4]}${n}`;
const saidAt = (n: number) =>
	`The ${wordFor(n)} by the river was ${wordFor(n * 7)}, and the neighbours looked at it. My cousin ${wordFor(n * 3)} lives at number ${n}.`;

class Conversation {
	readonly #host: HostModel;
	#turns = 0;

	constructor() {
		const root = temporaryFolder();
		const [cwd, home] = [join(root, "work"), join(root, "home")];
		mkdirSync(cwd);
		this.#host = new HostModel({
			make: ({ readTranscript, now }) =>
				createContextEngine({ cwd, home, env: {}, readTranscript, now: () => now, warn: () => {} }),
			window: 32_000,
			overhead: 4_000,
			tools: ["lcm_grep", "lcm_expand"],
			onRequest: () => {},
		});
	}

	/** Most turns reach weft by the transcript, each hundred with the next turn: so a long conversation takes seconds. */
	async tell(turns: number): Promise<void> {
		while (this.#turns < turns) {
			for (let n = 0; n < 100; n++, this.#turns++) {
				this.#host.add({ role: "user", content: saidAt(this.#turns) });
				this.#host.add({ role: "assistant", content: [{ type: "text", text: `I see: ${saidAt(this.#turns * 11)}` }] });
			}
			await this.take(1);
		}
	}

	async take(turns: number): Promise<void> {
		for (let n = 0; n < turns; n++) {
			this.#host.now += n % 5 === 0 ? 80 * MINUTE_MS : MINUTE_MS;
			const nth = this.#turns++;
			const answer = await this.#host.turn(saidAt(nth), [], { answer: `I see: ${saidAt(nth * 11)}` });
			assert.ok(answer, this.#host.errors.at(-1));
		}
	}
}

interface Counts {
	readonly rows: number;
	readonly parsed: number;
	readonly tried: number;
}

interface Statements {
	all(...given: unknown[]): unknown[];
	get(...given: unknown[]): unknown;
	iterate(...given: unknown[]): Iterable<unknown>;
}

/** Rows that SQLite handed over, characters that were parsed, and patterns that were tried, per turn. */
async function countTurns(conversation: Conversation): Promise<Counts> {
	let [rows, parsed, tried] = [0, 0, 0];
	const statements = StatementSync.prototype as unknown as Statements;
	const { all, get, iterate } = statements;
	const { parse } = JSON;
	statements.all = function (...given) {
		const found = all.apply(this, given);
		rows += found.length;
		return found;
	};
	statements.get = function (...given) {
		rows++;
		return get.apply(this, given);
	};
	statements.iterate = function* (...given) {
		for (const row of iterate.apply(this, given)) {
			rows++;
			yield row;
		}
	};
	const { exec } = RegExp.prototype;
	// `test`, `match` and `replace` use it too.
	RegExp.prototype.exec = function (text) {
		tried++;
		return exec.call(this, text);
	};
	JSON.parse = (text: string, ...more) => {
		parsed += text.length;
		return parse(text, ...more);
	};
	try {
		await conversation.take(COUNTED_TURNS);
	} finally {
		Object.assign(statements, { all, get, iterate });
		JSON.parse = parse;
		RegExp.prototype.exec = exec;
	}
	const each = (count: number) => Math.round(count / COUNTED_TURNS);
	return { rows: each(rows), parsed: each(parsed), tried: each(tried) };
}

test("a turn after 1,500 turns reads no more rows, parses no more text and tries no more patterns than one after 150", async () => {
	const counts: Counts[] = [];
	for (const turns of [150, 1_500]) {
		const conversation = new Conversation();
		await conversation.tell(turns);
		// They read the transcript, index it and seal.
		await conversation.take(6);
		counts.push(await countTurns(conversation));
	}
	const [early, late] = counts;
	const told = `per turn: ${JSON.stringify(early)} after 150 turns, ${JSON.stringify(late)} after 1,500`;
	assert.ok(late!.rows <= early!.rows * SLACK, told);
	assert.ok(late!.parsed <= early!.parsed * SLACK, told);
	assert.ok(late!.tried <= Math.max(early!.tried * SLACK, MAX_TRIED), told);
});
