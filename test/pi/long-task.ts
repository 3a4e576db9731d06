/**
 * A long task, as a script: in each round a file is read, its check fails, the file is edited, the check passes. Then the
 * model fetches everything back that has left its context: it knows no more than what stands on the wire.
 */
import { withoutNotes } from "../../src/message/note.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import type { ProjectFiles } from "../rig/workspace.ts";
import { allText, resultsIn } from "./wire.ts";

export const ROUNDS = 16;
/** Requests of the work: four for each round, and the answer. */
export const WORK_REQUESTS = ROUNDS * 4 + 1;

const name = (round: number) => `src/part-${String(round).padStart(2, "0")}.txt`;

function fileText(round: number): string {
	const lines = Array.from({ length: 100 }, (_, line) => `line ${line} of part ${round}: ${"word ".repeat(12).trim()}`);
	return `${lines.join("\n")}\nstate of part ${round}: broken\n`;
}

export const LONG_FILES: ProjectFiles = {
	"check.sh":
		'grep -q "state of part $1: mended" "src/part-$2.txt" || { echo "FAIL part $1: the state is broken" >&2; exit 1; }\necho "ok part $1"\n',
	...Object.fromEntries(Array.from({ length: ROUNDS }, (_, round) => [name(round), fileText(round)])),
};

export const LONG_PROMPT = "Mend every part, one after the other. Keep the word periwinkle in mind.";

export function workAnswer(index: number): ModelAnswer {
	const round = index >> 2;
	const path = name(round);
	const check = { command: `sh check.sh ${round} ${String(round).padStart(2, "0")}` };
	const id = `work_${index}`;
	if (index === WORK_REQUESTS - 1) return { text: "All parts are mended." };
	const thinking = [{ text: `Step ${index}: what is next?`, signature: btoa(`signature ${index}`) }];
	switch (index % 4) {
		case 0:
			return { thinking, text: `Part ${round}.`, toolCalls: [{ id, name: "read", args: { path } }] };
		case 1:
			// Two at once: they must stay together across a seal.
			return {
				thinking,
				toolCalls: [
					{ id, name: "bash", args: check },
					{ id: `${id}_b`, name: "bash", args: { command: `head -n 3 ${path}` } },
				],
			};
		case 2: {
			const edits = [{ oldText: `part ${round}: broken`, newText: `part ${round}: mended` }];
			return { thinking, toolCalls: [{ id, name: "edit", args: { path, edits } }] };
		}
		default:
			return { toolCalls: [{ id, name: "bash", args: check }] };
	}
}

const AT_ONCE = 6;

/** Asks for every handle that it has seen, and for the next page where one is named, until nothing is left. */
export class Recovery {
	/** Handle to its content, page by page. */
	readonly pages = new Map<string, string[]>();
	readonly #waiting: { handle: string; offset: number }[] = [];
	readonly #asked = new Map<string, string>();
	#calls = 0;

	answer(request: ModelRequest): ModelAnswer {
		const text = allText(request);
		if (this.#calls === 0) for (const [node] of text.matchAll(/\bs-[0-9a-z]{6,}\b/g)) this.#want(node);
		for (const [id, result] of resultsIn(request)) {
			const handle = this.#asked.get(id);
			if (handle === undefined) continue;
			this.#asked.delete(id);
			this.#read(handle, result);
		}
		const next = this.#waiting.splice(0, AT_ONCE);
		if (next.length === 0) return { text: "Everything is there." };
		const toolCalls = next.map(({ handle, offset }) => {
			const id = `recover_${this.#calls++}`;
			this.#asked.set(id, handle);
			// What a node consists of is listed; each message is then read by itself.
			if (handle.startsWith("s-")) {
				return { id, name: "lcm_describe", args: { section: "by_id", summary_id: handle } };
			}
			return { id, name: "lcm_expand", args: { summary_id: handle, offset, max_tokens: 8_000 } };
		});
		return { toolCalls };
	}

	#read(handle: string, answered: string): void {
		const result = withoutNotes(answered);
		const start = result.indexOf("\n") + 1;
		const end = result.lastIndexOf("\n");
		const content = result.slice(start, end);
		this.pages.get(handle)!.push(content);
		const more = /"offset": (\d+)\}\)\]$/.exec(result);
		if (more) this.#waiting.unshift({ handle, offset: Number(more[1]) });
		if (!handle.startsWith("s-")) return;
		for (const [found] of content.matchAll(/(?<=^- )(?:s-[0-9a-z]+|m-[0-9a-f]{12})(?= \()/gm)) this.#want(found);
	}

	#want(handle: string): void {
		if (this.pages.has(handle)) return;
		this.pages.set(handle, []);
		this.#waiting.push({ handle, offset: 0 });
	}
}
