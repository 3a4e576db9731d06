/**
 * The files that a session knows whole, by what it was shown and wrote, so that a write over one of them has its diff where
 * the host notes none. Bounded; what a command may have changed is forgotten.
 */
import { emptyRecent, getRecent, putRecent } from "../fold/keyed.ts";
import type { JsonObject } from "../json/read.ts";
import { effectsOf } from "../shell/effects.ts";
import { editsOf } from "./derive-change.ts";

const MOST_FILES = 64;
const MAX_CHARS = 256 * 1024;

export class WholeTexts {
	/** null: not known any more. */
	#texts = emptyRecent<string | null>();

	get(path: string): string | undefined {
		return getRecent(this.#texts, path) ?? undefined;
	}

	know(path: string, text: string | undefined): void {
		putRecent(this.#texts, path, text !== undefined && text.length <= MAX_CHARS ? text : null, MOST_FILES);
	}

	/** An edit that succeeded. */
	edit(path: string, input: JsonObject): void {
		let text = this.get(path);
		const edits = editsOf(input);
		if (edits.length === 0) text = undefined;
		for (const { before, after, all } of edits) {
			if (text === undefined || before === "" || !text.includes(before)) text = undefined;
			else text = all ? text.replaceAll(before, () => after) : text.replace(before, () => after);
		}
		this.know(path, text);
	}

	/** A command ran: only one that writes nothing, or nothing but what it names, leaves the rest known. */
	run(command: string, pathOf: (path: string) => string): void {
		const { writes, isOpaque, isVague } = effectsOf(command);
		if (isOpaque || isVague || writes.some(({ path, under }) => under || /[*?[]/.test(path))) {
			this.#texts = emptyRecent();
		} else for (const { path } of writes) this.know(pathOf(path), undefined);
	}
}
