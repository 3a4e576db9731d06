/**
 * The calls of a session, so that results can find theirs. A result follows its call closely: only the newest calls are
 * kept, and long arguments only until the first result, so that a session of any size fits into bounded memory.
 */
import { asObject, type JsonObject } from "../../base/json/read.ts";
import { effectsOf } from "../../base/shell/effects.ts";
import { dropRecent, emptyRecent, getRecent, newestFirst, putRecent } from "../../log/fold/keyed.ts";
import { editsOf } from "./file-change.ts";
import type { ToolClass } from "./tool-class.ts";

export interface SessionCall {
	readonly tool: string;
	readonly class: ToolClass;
	readonly input: JsonObject;
}

const MAX_CALLS = 2_000;

export class Calls {
	/** Files whose whole text the calls showed or wrote. */
	readonly texts = new WholeTexts();
	/** `outline`: the call's short form, until its first result. */
	readonly #calls = emptyRecent<{ readonly call: SessionCall; readonly outline: JsonObject | undefined }>();

	/** A call id that is used again names the newer call. */
	open(id: string, call: SessionCall, outline: unknown): void {
		putRecent(this.#calls, id, { call, outline: asObject(outline) ?? {} }, MAX_CALLS);
	}

	get(id: string): SessionCall | undefined {
		return getRecent(this.#calls, id)?.call;
	}

	/** Call this once the call has its result. */
	dropLongInput(id: string): void {
		const { call, outline } = getRecent(this.#calls, id) ?? {};
		if (call && outline)
			putRecent(this.#calls, id, { call: { ...call, input: outline }, outline: undefined }, MAX_CALLS);
	}
}

const MAX_FILES = 64;
const MAX_CHARS = 256 * 1024;
const MAX_WAITING = 64;

interface WholeText {
	readonly text: string;
	/** How many of the waiting commands had run by then. */
	readonly after: number;
}

interface UnsettledCommand {
	readonly command: string;
	readonly pathOf: (path: string) => string;
}

/**
 * Files whose whole text a session has read or written, so that overwriting one gives a diff even if the agent stores none.
 * Bounded. Files that a command may have changed are dropped; commands are analysed only when a text is asked for, which
 * is rare.
 */
export class WholeTexts {
	#texts = emptyRecent<WholeText>();
	/** Commands not analysed yet, oldest first. */
	#waiting: UnsettledCommand[] = [];

	get(path: string): string | undefined {
		if (!getRecent(this.#texts, path)) return undefined;
		this.#settle();
		return getRecent(this.#texts, path)?.text;
	}

	rememberText(path: string, text: string | undefined): void {
		if (text === undefined || text.length > MAX_CHARS) dropRecent(this.#texts, path);
		else putRecent(this.#texts, path, { text, after: this.#waiting.length }, MAX_FILES);
	}

	/** Applies an edit that succeeded. */
	edit(path: string, input: JsonObject): void {
		let text = this.get(path);
		const edits = text === undefined ? [] : editsOf(input);
		if (edits.length === 0) text = undefined;
		for (const { before, after, all } of edits) {
			if (text === undefined || before === "" || !text.includes(before)) text = undefined;
			else text = all ? text.replaceAll(before, () => after) : text.replace(before, () => after);
		}
		this.rememberText(path, text);
	}

	run(command: string, pathOf: (path: string) => string): void {
		if (this.#texts.count === 0) return;
		this.#waiting.push({ command, pathOf });
		if (this.#waiting.length >= MAX_WAITING) this.#settle();
	}

	/**
	 * Drops texts that the waiting commands may have changed. Newest first: after a command that may write anywhere, the
	 * commands before it do not matter.
	 */
	#settle(): void {
		for (const [at, { command, pathOf }] of [...this.#waiting.entries()].reverse()) {
			const { writes, isOpaque, isVague } = effectsOf(command);
			if (isOpaque || isVague || writes.some(({ path, under }) => under || /[*?[]/.test(path))) {
				this.#forget((known) => known.after <= at);
				break;
			}
			const paths = new Set(writes.map(({ path }) => pathOf(path)));
			if (paths.size > 0) this.#forget((known, path) => known.after <= at && paths.has(path));
		}
		if (this.#waiting.length === 0) return;
		this.#waiting = [];
		for (const [path, { text }] of [...newestFirst(this.#texts)].reverse())
			putRecent(this.#texts, path, { text, after: 0 }, MAX_FILES);
	}

	#forget(isGone: (known: WholeText, path: string) => boolean): void {
		for (const [path, known] of [...newestFirst(this.#texts)]) if (isGone(known, path)) dropRecent(this.#texts, path);
	}
}
