/**
 * Where in each file the agent worked: lines it read and places it changed, the newest last, each with the number of
 * messages so far. Seeds choose by it which lines of a file to show.
 */

import { cutStart } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";

export interface Touch {
	/** Messages of the project so far. */
	readonly at: number;
	readonly kind: "read" | "change";
	/** First line, from 1; a hint where `text` is given. */
	readonly from: number;
	/** Last line; null: to the end. */
	readonly to: number | null;
	/** A line of the new text, to find the place by: numbers move when a file is edited. */
	readonly text: string | null;
}

export interface TouchState {
	messages: number;
	touches: Recent<Touch[]>;
}

const MAX_FILES = 200;
const MAX_TOUCHES = 48;
const MAX_SPOTS = 8;
const MAX_DIFF_CHARS = 60_000;
const MAX_TEXT_CHARS = 160;

export const touchFold: StateFold<TouchState> = {
	name: "touches",
	version: 2,
	initial: () => ({ messages: 0, touches: emptyRecent() }),
	step(state, record) {
		switch (record.type) {
			case "Message":
				state.messages++;
				return;
			case "FileRead":
				return add(state, record, [
					{
						at: state.messages,
						kind: "read",
						from: numberIn(record.payload, "from") ?? 1,
						to: numberIn(record.payload, "to"),
						text: null,
					},
				]);
			case "FileChanged":
				return add(state, record, changeTouches(state.messages, record));
		}
	},
};

function add(state: TouchState, { payload }: EventRecord, touches: readonly Touch[]): void {
	const path = textIn(payload, "path");
	if (path === null || path === "") return;
	const known = getRecent(state.touches, path) ?? [];
	putRecent(state.touches, path, [...known, ...touches].slice(-MAX_TOUCHES), MAX_FILES);
}

/** One touch per stretch of added lines. A write of the whole file touches all of it. */
function changeTouches(at: number, { payload }: EventRecord): Touch[] {
	const diff = textIn(payload, "diff");
	if (diff === null) return [{ at, kind: "change", from: 1, to: null, text: null }];
	const touches: Touch[] = [];
	let line = 0;
	let run: { from: number; lines: string[] } | undefined;
	const close = () => {
		if (run) {
			const text = run.lines.find((each) => each.trim().length > 8) ?? null;
			const to = run.from + Math.max(0, run.lines.length - 1);
			touches.push({ at, kind: "change", from: run.from, to, text: text && cutStart(text, MAX_TEXT_CHARS) });
		}
		run = undefined;
	};
	for (const text of diff.slice(0, MAX_DIFF_CHARS).split("\n")) {
		const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text);
		if (hunk) {
			close();
			line = Number(hunk[1]);
			continue;
		}
		if (line === 0) continue;
		if (text.startsWith("+")) {
			run ??= { from: line, lines: [] };
			run.lines.push(text.slice(1));
			line++;
		} else if (text.startsWith("-")) {
			run ??= { from: line, lines: [] };
		} else {
			close();
			line++;
		}
	}
	close();
	return touches.slice(-MAX_SPOTS);
}
