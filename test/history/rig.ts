import { PiTranslator } from "../../src/agent/pi/translate.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import type { SessionRef } from "../../src/log/session-ref.ts";
import { History } from "../../src/state/history/history.ts";
import { nodeFold } from "../../src/state/history/node-fold.ts";
import { withSummaries } from "../../src/state/history/searchable.ts";
import type { HistoryPath } from "../../src/state/history/types.ts";
import { searchable } from "../../src/state/session/searchable.ts";
import { sessionFold } from "../../src/state/session/session-fold.ts";
import { treeFold } from "../../src/state/session/tree-fold.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";

export const START = Date.UTC(2026, 0, 5, 10);

export interface OpenedLog extends Disposable {
	readonly log: Log;
	readonly history: History;
	readonly folder: string;
}

export function openHistory(folder = temporaryFolder()): OpenedLog {
	const log = new Log({
		folder,
		origin: "here",
		projection: () => new TableFolds([sessionFold, treeFold, nodeFold]),
		searchable: withSummaries(searchable),
		now: () => START,
	});
	return {
		log,
		history: new History(log),
		folder,
		[Symbol.dispose]() {
			log.close();
			removeFolder(folder);
		},
	};
}

/** A session in Pi's format, through the translation that live sessions use. */
export class PiSession {
	readonly ref: SessionRef;
	readonly #log: Log;
	readonly #translator: PiTranslator;
	#entries = 0;
	#leaf: string | null = null;

	/** The same session, going on in a log that was opened again. */
	reopened(log: Log): PiSession {
		const again = new PiSession(log, this.ref.session);
		again.#entries = this.#entries;
		again.#leaf = this.#leaf;
		return again;
	}

	constructor(log: Log, id = "0199-history") {
		this.#log = log;
		this.ref = { session: id, host: "pi" };
		this.#translator = new PiTranslator({ type: "session", version: 3, id, timestamp: time(0), cwd: "/home/dev/app" });
	}

	get leaf(): string | null {
		return this.#leaf;
	}

	/** Goes back to an earlier entry: what comes next is another branch. */
	jump(entry: string | null): void {
		this.#leaf = entry;
	}

	user(text: string): string {
		return this.say({ role: "user", content: [{ type: "text", text }] });
	}

	assistant(text: string, ...calls: object[]): string {
		const texts = text === "" ? [] : [{ type: "text", text }];
		return this.say({ role: "assistant", content: [...texts, ...calls], provider: "test", model: "scripted" });
	}

	/** One turn: a call and its result. */
	turn(tool: string, input: object, output: string, isError = false): string {
		const id = `call-${this.#entries}`;
		this.assistant("", { type: "toolCall", id, name: tool, arguments: input });
		return this.result(id, tool, output, isError);
	}

	result(toolCallId: string, toolName: string, text: string, isError = false): string {
		return this.say({ role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError });
	}

	/** A request, three turns and an answer: about 700 tokens. */
	round(n: number): void {
		this.user(`Please make step ${n} work, as in ticket T-${1000 + n}. ${filler(n, 20)}`);
		this.turn("read", { path: `src/step${n}.ts` }, filler(n + 1, 90));
		this.turn("bash", { command: `npm test -- step${n}` }, filler(n + 2, 60), n % 3 === 0);
		this.turn("edit", { path: `src/step${n}.ts`, oldText: `old ${n}`, newText: `new ${n}` }, "Edited.");
		this.assistant(`Step ${n} works now. ${filler(n + 3, 15)}`);
	}

	say(message: object): string {
		return this.entry({ type: "message", message });
	}

	entry(fields: object): string {
		const id = `e${++this.#entries}`;
		const entry = { id, parentId: this.#leaf, timestamp: time(this.#entries), ...fields };
		this.#log.append(this.#translator.translate(entry, JSON.stringify(entry), id) as NewEvent[]);
		this.#leaf = id;
		return id;
	}
}

/** Words that differ from seed to seed: the same on every machine. */
export function filler(seed: number, words: number): string {
	const parts: string[] = [];
	let state = seed * 2_654_435_761 + 97;
	for (let n = 0; n < words; n++) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
		parts.push(`word${(state >>> 0) % 5_000}`);
	}
	return parts.join(" ");
}

/** Every message of the path in exactly one place; throws where one is missing or twice there. */
export function checkCoverage(history: History, path: HistoryPath): void {
	const expected: number[] = [];
	for (const entry of history.tree.upward(path.leaf ?? null)) if (entry.role !== null) expected.push(entry.seq);
	const found = [
		...path.nodes.flatMap((node) => history.messages(node).map(({ seq }) => seq)),
		...path.runs.flat().map(({ seq }) => seq),
	].sort((a, b) => b - a);
	if (JSON.stringify(found) !== JSON.stringify(expected)) {
		throw new Error(`covered ${JSON.stringify(found)}, but the path has ${JSON.stringify(expected)}`);
	}
}

/** The counts of uncovered nodes by depth: [D0, D1, …]. */
export function frontier(path: HistoryPath): number[] {
	const counts: number[] = [];
	for (const { depth } of path.nodes) counts[depth] = (counts[depth] ?? 0) + 1;
	return Array.from(counts, (count) => count ?? 0);
}

function time(step: number): string {
	return new Date(START + step * 1_000).toISOString();
}
