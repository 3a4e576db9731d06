/**
 * A patch whose old lines are not in the file. Codex refuses it and runs no hook after that, so before it runs the model gets
 * the lines that are most like them, as after a failed edit in other agents. Codex reads old lines loosely (white space,
 * quotes and dashes may differ): a patch counts as a misfit only where its letters and digits are not there either.
 */
import { resolve } from "node:path";
import { readBounded, textOf } from "../../base/file/regular-file.ts";
import { patchedBy } from "../../state/session/file-change.ts";
import { besideText, type LiveSession, type ToolCall } from "../live/session.ts";
import { CODEX_PORT } from "./port.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The lines; undefined: the patch may fit, or nothing in the file is like it. */
export async function healMisfit(session: LiveSession, call: ToolCall): Promise<string | undefined> {
	const notes: string[] = [];
	const changes = patchedBy(call.input);
	for (const { path: file, kind, hunks = [], movedFrom } of changes) {
		// A file that moves, or that the patch names twice, is another one by the time its lines are looked for.
		const isPlain =
			kind === "edit" && movedFrom === undefined && changes.filter(({ path }) => path === file).length === 1;
		const text = isPlain ? textOf(readBounded(resolve(call.folder ?? "", file), MAX_FILE_BYTES)) : undefined;
		if (text === undefined) continue;
		const bare = text.split("\n").map(bareLine);
		for (const { lines } of hunks) {
			const old = lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
			if (old.length === 0 || holdsLines(bare, old.map(bareLine))) continue;
			const input = { path: file, oldText: old.join("\n"), newText: "" };
			// The patch itself still runs: an id of its own keeps what the guard knows of that call.
			const failed = { ...call, tool: "edit", callId: `${call.callId}/misfit-${notes.length}`, input };
			notes.push(...(await session.look(failed, { text: "", isError: true, canReplace: false })).notes);
		}
	}
	return besideText({ text: "", notes }, CODEX_PORT.maxBesideChars);
}

function bareLine(line: string): string {
	return line.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function holdsLines(lines: readonly string[], wanted: readonly string[]): boolean {
	return lines.some((_, at) => wanted.every((line, nth) => lines[at + nth] === line));
}
