/** A Claude Code session of any length, made up: prompts, answers with thinking, reads, edits, commands and compactions. */

export const LONG_SESSION = "5f0c7a9e-2b41-4d0e-8f36-91c2d7e4a605";

const START = Date.parse("2026-03-02T08:00:00Z");
/** Requests of one prompt. */
const RUN_REQUESTS = 8;
const EPOCH_REQUESTS = 200;
const MODEL = "claude-opus-4-5-20251101";

/** The lines of its file: three messages and one request each step, of which every eighth begins with a prompt. */
export function* longSession(cwd: string, requests: number): Generator<object> {
	let parent: string | null = null;
	let lines = 0;
	let prompt = 20_000;
	const line = (of: object): object => {
		const uuid = `00000000-0000-4000-8000-${String(lines).padStart(12, "0")}`;
		const timestamp = new Date(START + lines * 5_000).toISOString();
		const made = {
			parentUuid: parent,
			isSidechain: false,
			cwd,
			sessionId: LONG_SESSION,
			version: "2.1.0",
			uuid,
			timestamp,
		};
		lines++;
		parent = uuid;
		return { ...made, ...of };
	};
	const user = (content: unknown, more: object = {}) =>
		line({ type: "user", message: { role: "user", content }, ...more });
	for (let n = 0; n < requests; n++) {
		if (n > 0 && n % EPOCH_REQUESTS === 0) {
			yield line({
				type: "system",
				subtype: "compact_boundary",
				content: "Conversation compacted",
				compactMetadata: { trigger: "auto" },
			});
			yield user(`This session is being continued. Summary: ${n} steps on the lighthouse were done.`, {
				isCompactSummary: true,
			});
			prompt = 20_000;
		}
		if (n % RUN_REQUESTS === 0)
			yield user(`Paint section ${n / RUN_REQUESTS + 1} of the lighthouse. Keep the lamp lit.`);
		const message = { id: `msg_${n}`, type: "message", role: "assistant", model: MODEL };
		const usage = {
			input_tokens: 4,
			cache_creation_input_tokens: 300,
			cache_read_input_tokens: prompt,
			output_tokens: 90,
		};
		prompt += 300;
		const words = [{ type: "text", text: `Step ${n}: the wall is dry. ${"I paint the next row. ".repeat(6)}` }];
		yield line({ type: "assistant", message: { ...message, content: words, usage } });
		const call = callOf(n, cwd);
		yield line({
			type: "assistant",
			message: { ...message, content: [{ type: "tool_use", id: `call_${n}`, ...call.use }], usage },
		});
		yield user([{ type: "tool_result", tool_use_id: `call_${n}`, content: call.result }], {
			toolUseResult: call.details,
		});
	}
}

function callOf(
	n: number,
	cwd: string,
): { readonly use: object; readonly result: string; readonly details: object | undefined } {
	const path = `${cwd}/wall-${n % 40}.txt`;
	if (n % 3 === 0) {
		const result = Array.from({ length: 12 }, (_, at) => `${at + 1}\trow ${at} of wall ${n % 40}`).join("\n");
		return { use: { name: "Read", input: { file_path: path } }, result, details: undefined };
	}
	if (n % 3 === 1) {
		const input = { file_path: path, old_string: `row ${n % 12}`, new_string: `painted row ${n % 12} in step ${n}` };
		const hunk = {
			oldStart: 1,
			oldLines: 1,
			newStart: 1,
			newLines: 1,
			lines: [`-${input.old_string}`, `+${input.new_string}`],
		};
		const details = {
			filePath: path,
			oldString: input.old_string,
			newString: input.new_string,
			structuredPatch: [hunk],
		};
		return { use: { name: "Edit", input }, result: `The file ${path} has been updated.`, details };
	}
	return {
		use: { name: "Bash", input: { command: `measure --section ${n}` } },
		result: `section ${n}: ok\n`.repeat(5),
		details: undefined,
	};
}
