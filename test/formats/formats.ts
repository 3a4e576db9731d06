/** The script as each program would have written it down. Small, and in the shape that `docs/formats/` tells of. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256 } from "../../src/base/hash/sha256.ts";
import { type Act, at, type Counts, CWD, patchOf, type Script, START, type Step, TEXT } from "./script.ts";

export interface Format {
	readonly agent: string;
	/** Where its file lies below the home. */
	readonly path: string;
	/** Its lines; undefined: it is not a file of lines. */
	readonly lines?: (script: Script) => object[];
	readonly whole?: (script: Script) => object;
	/** A database, or a store of many files, with the session of this number in it. */
	readonly database?: (path: string, script: Script, session: number) => void;
	/** What of its path and texts names the session, where each has a file of its own. */
	readonly session?: string;
	/** An earlier version's. */
	readonly isOld?: boolean;
	/** Written where the user wants it, so no place is searched for it. */
	readonly isExport?: boolean;
	/** False: the format has no compaction. */
	readonly compacts?: boolean;
	/** Another file that its program keeps beside it. */
	readonly beside?: { readonly path: string; readonly value: object };
}

/** The session of a number above 1 is another one, beside those that are there. */
export function writeFormat(format: Format, home: string, script: Script, { session = 1 } = {}): string {
	const own = (text: string) =>
		format.session === undefined || session === 1
			? text
			: text.replaceAll(format.session, () => `${format.session}${session}`);
	const path = join(home, own(format.path));
	mkdirSync(dirname(path), { recursive: true });
	if (format.lines)
		writeFileSync(
			path,
			format
				.lines(script)
				.map((line) => `${JSON.stringify(line)}\n`)
				.join(""),
		);
	else if (format.whole) writeFileSync(path, own(JSON.stringify(format.whole(script), null, 2)));
	else format.database?.(path, script, session);
	// A format without times has the time of its file.
	utimesSync(path, START / 1_000, START / 1_000);
	const { beside } = format;
	if (beside) writeFileSync(join(home, own(beside.path)), JSON.stringify(beside.value));
	return path;
}

type Answer = Extract<Step, { answer: string }>;
const file = (act: Act) => ("file" in act ? `${CWD}/${act.file}` : "");
/** Calls are numbered through a session. */
const callIds = () => {
	let next = 0;
	return (step: Answer) => step.acts.map(() => `call_${++next}`);
};
const edited = (act: Act) => (act.do === "edit" ? TEXT.replace(act.before, () => act.after) : "");

const codex: Format = {
	agent: "codex",
	path: ".codex/sessions/2026/04/01/rollout-2026-04-01T09-00-00-11111111-2222-3333-4444-555555555555.jsonl",
	compacts: true,
	lines(script) {
		const lines: object[] = [];
		const add = (type: string, payload: object) =>
			lines.push({ timestamp: at(lines.length), ordinal: lines.length, type, payload });
		const item = (payload: object) => add("response_item", { ...payload, id: `item_${lines.length}` });
		const event = (payload: object) => add("event_msg", payload);
		const done = (of: object) => event({ type: "item_completed", item: of });
		const meta = {
			id: "11111111-2222-3333-4444-555555555555",
			cwd: CWD,
			cli_version: "0.166.0",
			model_provider: "openai",
		};
		add("session_meta", { ...meta, session_id: meta.id, base_instructions: { text: "You weave." } });
		item({
			type: "message",
			role: "user",
			content: [{ type: "input_text", text: "<environment_context>here</environment_context>" }],
		});
		add("turn_context", { model: "gpt-5.5" });
		const total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };
		const ids = callIds();
		for (const step of script) {
			if ("user" in step) {
				item({
					type: "message",
					role: "user",
					content: [{ type: "input_text", text: step.user }],
					internal_chat_message_metadata_passthrough: { content_item_kinds: ["user.text"] },
				});
				continue;
			}
			if ("compacted" in step) {
				const content = [{ type: "input_text", text: `Another language model started: ${step.compacted}` }];
				add("compacted", {
					message: step.compacted,
					replacement_history: [{ type: "message", role: "user", content }],
				});
				continue;
			}
			const calls = ids(step);
			if (step.answer !== "")
				item({ type: "message", role: "assistant", content: [{ type: "output_text", text: step.answer }] });
			for (const [n, act] of step.acts.entries()) {
				const call_id = calls[n]!;
				if (act.do === "read")
					item({
						type: "function_call",
						name: "exec_command",
						call_id,
						arguments: JSON.stringify({ cmd: `cat ${act.file}` }),
					});
				else if (act.do === "run")
					item({
						type: "function_call",
						name: "exec_command",
						call_id,
						arguments: JSON.stringify({ cmd: act.command }),
					});
				else if (act.do === "plan") {
					const plan = act.items.map(({ content, status }) => ({ step: content, status }));
					item({ type: "function_call", name: "update_plan", call_id, arguments: JSON.stringify({ plan }) });
				} else item({ type: "custom_tool_call", name: "apply_patch", call_id, input: "*** Begin Patch" });
			}
			const { input, read, output } = step.tokens;
			const usage = {
				input_tokens: input + read,
				cached_input_tokens: read,
				cache_write_input_tokens: 0,
				output_tokens: output,
			};
			total.input_tokens += usage.input_tokens;
			total.cached_input_tokens += read;
			total.output_tokens += output;
			add("token_usage_record", { response_id: `resp_${lines.length}`, usage });
			// They end in another order than they began.
			for (const [n, act] of [...step.acts.entries()].reverse()) {
				const id = calls[n]!;
				if (act.do === "read")
					done({
						type: "CommandExecution",
						id,
						exit_code: 0,
						cwd: `file://${CWD}`,
						parsed_cmd: [{ type: "read", path: act.file }],
					});
				if (act.do === "run")
					done({
						type: "CommandExecution",
						id,
						exit_code: act.exit,
						cwd: `file://${CWD}`,
						parsed_cmd: [{ type: "unknown" }],
					});
				if (act.do === "edit")
					done({
						type: "FileChange",
						id,
						status: "completed",
						changes: { [file(act)]: { type: "update", unified_diff: patchOf(act.before, act.after) } },
					});
				if (act.do === "create")
					done({
						type: "FileChange",
						id,
						status: "completed",
						changes: { [file(act)]: { type: "add", content: act.text } },
					});
			}
			for (const [n, act] of step.acts.entries()) {
				const call_id = calls[n]!;
				const told = (text: string, exit: number) =>
					`Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code ${exit}\nOutput:\n${text}`;
				if (act.do === "read") item({ type: "function_call_output", call_id, output: told(act.text, 0) });
				else if (act.do === "run") item({ type: "function_call_output", call_id, output: told(act.output, act.exit) });
				else if (act.do === "plan") item({ type: "function_call_output", call_id, output: "Plan updated" });
				else
					item({
						type: "custom_tool_call_output",
						call_id,
						output: "Exit code: 0\nOutput:\nSuccess. Updated the following files:\nM x\n",
					});
			}
			event({ type: "token_count", info: { total_token_usage: { ...total }, last_token_usage: usage } });
		}
		event({ type: "task_complete" });
		return lines;
	},
};

/** Before 0.126: no ordinals, no ids, usage only by counters that repeat themselves. */
const oldCodex: Format = {
	isOld: true,
	agent: "codex",
	path: ".codex/sessions/2025/04/01/rollout-2025-04-01T09-00-00-99999999-2222-3333-4444-555555555555.jsonl",
	lines(script) {
		return (codex.lines!(script) as Record<string, unknown>[]).flatMap(({ ordinal: _, ...line }) => {
			const payload = line["payload"] as Record<string, unknown>;
			if (line["type"] === "token_usage_record") return [];
			if (line["type"] === "session_meta")
				return [
					{ ...line, payload: { ...payload, id: "99999999-2222-3333-4444-555555555555", session_id: undefined } },
				];
			if (line["type"] === "response_item") {
				const { id: __, ...item } = payload;
				return [{ ...line, payload: item }];
			}
			return payload["type"] === "token_count"
				? [line, line, { ...line, payload: { type: "token_count", info: null } }]
				: [line];
		});
	},
};

const counted = ({ input, read, output }: Counts) => ({
	input: input + read,
	output,
	cached: read,
	thoughts: 0,
	tool: 0,
	total: input + read + output,
});
const geminiTool = (act: Act, id: string) => {
	const args =
		act.do === "read"
			? { file_path: act.file }
			: act.do === "run"
				? { command: act.command }
				: act.do === "edit"
					? { file_path: act.file, old_string: act.before, new_string: act.after }
					: act.do === "plan"
						? { todos: act.items.map(({ content, status }) => ({ description: content, status })) }
						: { file_path: act.file, content: act.text };
	const tools = { read: "read_file", run: "run_shell_command", edit: "replace", create: "write_file" };
	const name = { ...tools, plan: "write_todos" }[act.do];
	const output =
		act.do === "read"
			? act.text
			: act.do === "run"
				? `Output: ${act.output}${act.exit === 0 ? "" : `\nExit Code: ${act.exit}`}\nProcess Group PGID: 1`
				: "done";
	const resultDisplay =
		act.do === "edit"
			? {
					fileDiff: patchOf(act.before, act.after),
					filePath: file(act),
					originalContent: TEXT,
					newContent: edited(act),
				}
			: act.do === "create"
				? {
						fileDiff: `@@ -0,0 +1,1 @@\n+${act.text}`,
						filePath: file(act),
						originalContent: "",
						newContent: act.text,
						isNewFile: true,
					}
				: "";
	return { id, name, args, output, resultDisplay };
};

const gemini: Format = {
	agent: "gemini-cli",
	path: ".gemini/tmp/loom/chats/session-2026-04-01T09-00-aaaaaaaa.jsonl",
	compacts: true,
	lines(script) {
		const lines: object[] = [];
		const add = (line: object) => lines.push(line);
		const header = {
			sessionId: "aaaaaaaa-1111-2222-3333-444444444444",
			projectHash: "ff",
			startTime: at(0),
			lastUpdated: at(0),
			kind: "main",
		};
		add(header);
		const context = {
			id: "ctx",
			timestamp: at(0),
			type: "user",
			content: [{ text: `<session_context>\n- **Workspace Directories:**\n  - ${CWD}\n</session_context>` }],
		};
		add({ $set: { messages: [context], lastUpdated: at(0) } });
		const ids = callIds();
		let n = 0;
		for (const step of script) {
			const id = `m${++n}`;
			const timestamp = at(lines.length);
			if ("user" in step) add({ id, timestamp, type: "user", content: [{ text: step.user }] });
			else if ("compacted" in step) {
				const snapshot = {
					id,
					timestamp,
					type: "user",
					content: [{ text: `<state_snapshot>${step.compacted}</state_snapshot>` }],
				};
				add({
					$set: {
						messages: [context, snapshot, { id: `${id}b`, timestamp, type: "gemini", content: [{ text: "Got it." }] }],
					},
				});
			} else {
				const calls = ids(step);
				const message = {
					id,
					timestamp,
					type: "gemini",
					content: step.answer,
					thoughts: [],
					tokens: counted(step.tokens),
					model: "gemini-2.5-pro",
				};
				add(message);
				add({ $set: { lastUpdated: timestamp } });
				if (step.acts.length === 0) continue;
				const toolCalls = step.acts.map((act, at) => {
					const { output, ...call } = geminiTool(act, calls[at]!);
					const response = { functionResponse: { id: call.id, name: call.name, response: { output } } };
					return { ...call, result: [response], status: "success", timestamp };
				});
				add({ ...message, toolCalls });
				add({ id: `${id}r`, timestamp, type: "user", content: toolCalls.flatMap(({ result }) => result) });
			}
		}
		return lines;
	},
};

/** Before 2026: one value, in a folder that has the hash of the project's path. */
const oldGemini: Format = {
	agent: "gemini-cli",
	path: `.gemini/tmp/${sha256(CWD)}/chats/session-2025-04-01T09-00-cccccccc.json`,
	session: "cccccccc",
	isOld: true,
	whole(script) {
		const [header = {}, , ...lines] = gemini.lines!(script) as { id?: string; sessionId?: string }[];
		const messages = new Map(lines.flatMap((line) => (line.id === undefined ? [] : [[line.id, line]])));
		const sessionId = "cccccccc-1111-2222-3333-444444444444";
		return { ...header, kind: undefined, sessionId, projectHash: sha256(CWD), messages: [...messages.values()] };
	},
	beside: { path: ".gemini/projects.json", value: { projects: { "/home/mill/other": "other", [CWD]: "loom" } } },
};

const qwen: Format = {
	agent: "qwen-code",
	path: ".qwen/projects/-home-mill-loom/chats/bbbbbbbb-1111-2222-3333-444444444444.jsonl",
	compacts: true,
	lines(script) {
		const lines: object[] = [];
		let parentUuid: string | null = null;
		const add = (type: string, more: object) => {
			const uuid = `u${lines.length}`;
			lines.push({
				uuid,
				parentUuid,
				sessionId: "bbbbbbbb-1111-2222-3333-444444444444",
				timestamp: at(lines.length),
				type,
				provenance: type === "user" ? "real_user" : type,
				cwd: CWD,
				version: "0.24.4",
				...more,
			});
			parentUuid = uuid;
		};
		const ids = callIds();
		for (const step of script) {
			if ("user" in step)
				add("user", {
					message: { role: "user", parts: [{ text: "<system-reminder>x</system-reminder>" }, { text: step.user }] },
				});
			else if ("compacted" in step)
				add("system", {
					subtype: "chat_compression",
					systemPayload: {
						info: { originalTokenCount: 9 },
						compressedHistory: [{ role: "user", parts: [{ text: step.compacted }] }],
					},
				});
			else {
				const calls = ids(step);
				const tools = step.acts.map((act, at) => geminiTool(act, calls[at]!));
				const { input, read, output } = step.tokens;
				add("assistant", {
					model: "qwen3-coder-plus",
					message: {
						role: "model",
						parts: [
							{ text: step.answer },
							...tools.map(({ id, name, args }) => ({
								functionCall: { id, name: name === "replace" ? "edit" : name, args },
							})),
						],
					},
					usageMetadata: {
						promptTokenCount: input + read,
						candidatesTokenCount: output,
						cachedContentTokenCount: read,
						thoughtsTokenCount: 0,
						totalTokenCount: input + read + output,
					},
				});
				add("system", { subtype: "ui_telemetry", systemPayload: { uiEvent: { input_token_count: input + read } } });
				for (const [at, { id, name, output: text, resultDisplay }] of tools.entries()) {
					const act = step.acts[at]!;
					const shown = act.do === "run" ? { type: "shell_result", exitCode: act.exit } : resultDisplay;
					add("tool_result", {
						message: { role: "user", parts: [{ functionResponse: { id, name, response: { output: text } } }] },
						toolCallResult: {
							callId: id,
							status: act.do === "run" && act.exit !== 0 ? "error" : "success",
							resultDisplay: shown,
						},
					});
				}
			}
		}
		return lines;
	},
};

const copilot: Format = {
	agent: "copilot-cli",
	path: ".copilot/session-state/cccccccc-1111-2222-3333-444444444444/events.jsonl",
	compacts: true,
	lines(script) {
		const lines: object[] = [];
		const add = (type: string, data: object) =>
			lines.push({ type, data, id: `e${lines.length}`, timestamp: at(lines.length), parentId: null });
		add("session.start", {
			sessionId: "cccccccc-1111-2222-3333-444444444444",
			copilotVersion: "1.0.102",
			context: { cwd: CWD },
		});
		const ids = callIds();
		for (const step of script) {
			if ("user" in step) add("user.message", { content: step.user, transformedContent: `<now/>\n${step.user}` });
			else if ("compacted" in step)
				add("session.compaction_complete", { success: true, summaryContent: step.compacted });
			else {
				const calls = ids(step);
				const { input, read, output } = step.tokens;
				const apiCallId = `api${lines.length}`;
				add("session.usage_record", {
					usage: {
						apiCallId,
						inputTokens: input + read,
						outputTokens: output,
						cacheReadTokens: read,
						cacheWriteTokens: 0,
					},
				});
				const names = { read: "view", run: "bash", edit: "edit", create: "create", plan: "update_todo" };
				const args = (act: Act) =>
					act.do === "run"
						? { command: act.command }
						: act.do === "edit"
							? { path: file(act), old_str: act.before, new_str: act.after }
							: act.do === "create"
								? { path: file(act), file_text: act.text }
								: act.do === "plan"
									? { todos: act.items }
									: { path: file(act) };
				const toolRequests = step.acts.map((act, n) => ({
					toolCallId: calls[n],
					name: names[act.do],
					arguments: args(act),
				}));
				add("assistant.message", { model: "claude-sonnet-4.5", content: step.answer, toolRequests, apiCallId });
				for (const [n, act] of [...step.acts.entries()].reverse()) {
					const content = act.do === "read" ? act.text : act.do === "run" ? act.output : "done";
					add("tool.execution_complete", {
						toolCallId: calls[n],
						success: true,
						...(act.do === "run" ? { shellExecution: { exitCode: act.exit } } : {}),
						...(act.do === "edit" || act.do === "create" ? { fileEdits: [{ path: file(act), kind: act.do }] } : {}),
						result: { content, detailedContent: act.do === "edit" ? patchOf(act.before, act.after) : "" },
					});
				}
			}
		}
		return lines;
	},
};

const claudeCode: Format = {
	agent: "claude-code",
	path: ".claude/projects/-home-mill-loom/dddddddd-1111-2222-3333-444444444444.jsonl",
	compacts: true,
	lines(script) {
		const lines: object[] = [];
		let parentUuid: string | null = null;
		const add = (type: string, more: object) => {
			const uuid = `u${lines.length}`;
			lines.push({
				parentUuid,
				isSidechain: false,
				type,
				uuid,
				sessionId: "dddddddd-1111-2222-3333-444444444444",
				cwd: CWD,
				version: "2.1.325",
				timestamp: at(lines.length),
				...more,
			});
			parentUuid = uuid;
		};
		lines.push({
			type: "queue-operation",
			operation: "enqueue",
			timestamp: at(0),
			sessionId: "dddddddd-1111-2222-3333-444444444444",
		});
		const ids = callIds();
		for (const step of script) {
			if ("user" in step) add("user", { message: { role: "user", content: step.user } });
			else if ("compacted" in step) {
				add("system", { subtype: "compact_boundary" });
				add("user", { isCompactSummary: true, message: { role: "user", content: step.compacted } });
			} else {
				const calls = ids(step);
				const { input, read, output } = step.tokens;
				const names = { read: "Read", run: "Bash", edit: "Edit", create: "Write", plan: "TodoWrite" };
				const usage = {
					input_tokens: input,
					cache_read_input_tokens: read,
					cache_creation_input_tokens: 0,
					output_tokens: output,
				};
				const input0 = (act: Act) =>
					act.do === "run"
						? { command: act.command }
						: act.do === "edit"
							? { file_path: file(act), old_string: act.before, new_string: act.after }
							: act.do === "create"
								? { file_path: file(act), content: act.text }
								: act.do === "plan"
									? { todos: act.items }
									: { file_path: file(act) };
				const blocks = [
					...(step.answer === "" ? [] : [{ type: "text", text: step.answer }]),
					...step.acts.map((act, n) => ({ type: "tool_use", id: calls[n], name: names[act.do], input: input0(act) })),
				];
				const id = `msg_${lines.length}`;
				for (const block of blocks.length > 0 ? blocks : [{ type: "text", text: "…" }]) {
					add("assistant", { message: { id, role: "assistant", model: "claude-opus-5-5", content: [block], usage } });
				}
				for (const [n, act] of step.acts.entries()) {
					const isError = act.do === "run" && act.exit !== 0;
					const content =
						act.do === "run"
							? isError
								? `Exit code ${act.exit}\n${act.output}`
								: act.output
							: act.do === "read"
								? "1\twarp\n2\tweft\n3\tselvage"
								: "ok";
					const toolUseResult =
						act.do === "read"
							? {
									type: "text",
									file: { filePath: file(act), content: act.text, startLine: 1, numLines: 3, totalLines: 3 },
								}
							: act.do === "edit"
								? { filePath: file(act), originalFile: TEXT, oldString: act.before, newString: act.after }
								: act.do === "create"
									? { type: "create", filePath: file(act), content: act.text }
									: act.do === "plan"
										? { newTodos: act.items }
										: isError
											? `Error: Exit code ${act.exit}`
											: { stdout: act.output, stderr: "" };
					add("user", {
						message: {
							role: "user",
							content: [{ type: "tool_result", tool_use_id: calls[n], content, is_error: isError }],
						},
						toolUseResult,
					});
				}
			}
		}
		return lines;
	},
};

const cline: Format = {
	agent: "cline",
	path: ".cline/data/sessions/1770000000000_loom/1770000000000_loom.messages.json",
	session: "1770000000000_loom",
	beside: { path: ".cline/data/sessions/1770000000000_loom/1770000000000_loom.json", value: { cwd: CWD } },
	whole(script) {
		const messages: object[] = [];
		const ids = callIds();
		const add = (message: object) =>
			messages.push({ id: `m${messages.length}`, ts: START + messages.length * 1_000, ...message });
		for (const step of script) {
			if ("user" in step)
				add({ role: "user", content: [{ type: "text", text: `<user_input mode="act">${step.user}</user_input>` }] });
			if (!("answer" in step)) continue;
			const calls = ids(step);
			const { input, read, output } = step.tokens;
			const names = {
				read: "read_files",
				run: "run_commands",
				edit: "apply_patch",
				create: "apply_patch",
				plan: "todo",
			};
			const inputOf = (act: Act) =>
				act.do === "read"
					? { files: [{ path: file(act) }] }
					: act.do === "run"
						? { commands: [act.command] }
						: act.do === "edit"
							? {
									input: `*** Begin Patch\n*** Update File: ${file(act)}\n@@\n warp\n-${act.before}\n+${act.after}\n selvage\n*** End Patch\n`,
								}
							: act.do === "plan"
								? { items: act.items }
								: { input: `*** Begin Patch\n*** Add File: ${file(act)}\n+${act.text}*** End Patch\n` };
			add({
				role: "assistant",
				content: [
					{ type: "text", text: step.answer },
					...step.acts.map((act, n) => ({ type: "tool_use", id: calls[n], name: names[act.do], input: inputOf(act) })),
				],
				modelInfo: { id: "gpt-5.5", provider: "openai-compatible" },
				metrics: { inputTokens: input + read, outputTokens: output, cacheReadTokens: read, cacheWriteTokens: 0 },
			});
			if (step.acts.length === 0) continue;
			const result = (act: Act) =>
				act.do === "read"
					? [
							{
								query: file(act),
								result: act.text
									.trimEnd()
									.split("\n")
									.map((line, n) => `${n + 1} | ${line}`)
									.join("\n"),
								success: true,
							},
						]
					: act.do === "run"
						? [
								{
									query: act.command,
									result: act.exit === 0 ? act.output : `[Command exited with code ${act.exit}]\n${act.output}`,
									success: act.exit === 0,
								},
							]
						: JSON.stringify({ query: "apply_patch", result: "Successfully applied patch", success: true });
			add({
				role: "user",
				content: step.acts.map((act, n) => ({
					type: "tool_result",
					tool_use_id: calls[n],
					name: names[act.do],
					content: result(act),
				})),
			});
		}
		return {
			version: 1,
			agent: "lead",
			sessionId: "1770000000000_loom",
			updated_at: at(0),
			origin: { version: "3.0.65" },
			messages,
			system_prompt: "You weave.",
		};
	},
};

const continueCli: Format = {
	agent: "continue",
	path: ".continue/sessions/eeeeeeee-1111-2222-3333-444444444444.json",
	session: "eeeeeeee",
	whole(script) {
		const ids = callIds();
		const history = script.flatMap((step): object[] => {
			if ("user" in step) return [{ message: { role: "user", content: step.user }, contextItems: [] }];
			if (!("answer" in step)) return [];
			const calls = ids(step);
			const { input, read, output } = step.tokens;
			const names = { read: "Read", run: "Bash", edit: "Edit", create: "Write", plan: "TodoWrite" };
			const parsedArgs = (act: Act) =>
				act.do === "run"
					? { command: act.command }
					: act.do === "edit"
						? { file_path: file(act), old_string: act.before, new_string: act.after }
						: act.do === "create"
							? { filepath: file(act), content: act.text }
							: act.do === "plan"
								? { todos: act.items }
								: { filepath: file(act) };
			const told = (act: Act) =>
				act.do === "read"
					? `Content of ${file(act)}:\n${act.text}`
					: act.do === "run"
						? act.exit === 0
							? act.output
							: `Error (exit code ${act.exit}): ${act.output}`
						: act.do === "edit"
							? `Successfully edited\nDiff:\n${patchOf(act.before, act.after)}`
							: `Successfully created file: ${file(act)}`;
			const toolCalls = step.acts.map((act, n) => ({
				id: calls[n],
				type: "function",
				function: { name: names[act.do], arguments: JSON.stringify(parsedArgs(act)) },
			}));
			const toolCallStates = step.acts.map((act, n) => ({
				toolCallId: calls[n],
				status: act.do === "run" && act.exit !== 0 ? "errored" : "done",
				parsedArgs: parsedArgs(act),
				output: [{ content: told(act) }],
			}));
			const usage = {
				prompt_tokens: input,
				completion_tokens: output,
				prompt_tokens_details: { cache_read_tokens: read, cache_write_tokens: 0 },
				model: "claude-sonnet-4-5",
			};
			return [
				{ message: { role: "assistant", content: step.answer, toolCalls, usage }, contextItems: [], toolCallStates },
			];
		});
		return { sessionId: "eeeeeeee-1111-2222-3333-444444444444", title: "t", workspaceDirectory: CWD, history };
	},
};

const numbered = (text: string) =>
	text
		.trimEnd()
		.split("\n")
		.map((line, at) => `${at + 1}: ${line}`)
		.join("\n");

const opencode: Format = {
	agent: "opencode",
	path: ".local/share/opencode/opencode.db",
	compacts: true,
	database(path, script, session) {
		const db = new DatabaseSync(path);
		db.exec(`CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
			CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
			CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
			CREATE INDEX IF NOT EXISTS message_session ON message (session_id);
			CREATE INDEX IF NOT EXISTS part_session ON part (session_id);
			BEGIN`);
		const of = `ses_${session}`;
		db.prepare("INSERT INTO session VALUES (?, NULL, ?, 't', '1.18.33', ?, ?)").run(of, CWD, START, START);
		const addMessage = db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
		const addPart = db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
		let n = 0;
		const add = (data: object, parts: readonly object[]) => {
			const id = `msg_${session === 1 ? "" : `${session}_`}${String(++n).padStart(6, "0")}`;
			const time = START + n * 1_000;
			addMessage.run(id, of, time, time, JSON.stringify({ ...data, time: { created: time, completed: time } }));
			for (const [at, part] of parts.entries())
				addPart.run(`prt_${id}_${at}`, id, of, time, time, JSON.stringify(part));
		};
		const ids = callIds();
		for (const step of script) {
			if ("user" in step) add({ role: "user" }, [{ type: "text", text: step.user }]);
			else if ("compacted" in step) {
				add({ role: "user" }, [{ type: "compaction", auto: true }]);
				add({ role: "assistant", summary: true, modelID: "m", providerID: "p" }, [
					{ type: "text", text: step.compacted },
				]);
			} else {
				const calls = ids(step);
				const { input, read, output } = step.tokens;
				const tools = { read: "read", run: "bash", edit: "edit", create: "write", plan: "todowrite" };
				const state = (act: Act) =>
					act.do === "read"
						? {
								input: { filePath: file(act) },
								output: `<path>${file(act)}</path>\n<type>file</type>\n<content>\n${numbered(act.text)}\n\n(End of file)\n</content>`,
								metadata: { display: { path: file(act), text: act.text, lineStart: 1, lineEnd: 3 } },
							}
						: act.do === "run"
							? { input: { command: act.command }, output: act.output, metadata: { exit: act.exit } }
							: act.do === "edit"
								? {
										input: { filePath: file(act) },
										output: "ok",
										metadata: { filediff: { file: file(act), patch: patchOf(act.before, act.after) } },
									}
								: act.do === "plan"
									? { input: { todos: act.items }, output: "ok", metadata: {} }
									: {
											input: { filePath: file(act), content: act.text },
											output: "ok",
											metadata: { filepath: file(act), exists: false },
										};
				add(
					{
						role: "assistant",
						modelID: "claude-sonnet-4-5",
						providerID: "anthropic",
						cost: 0,
						tokens: { input, output, reasoning: 0, cache: { read, write: 0 } },
					},
					[
						{ type: "step-start" },
						{ type: "text", text: step.answer },
						...step.acts.map((act, at) => ({
							type: "tool",
							tool: tools[act.do],
							callID: calls[at],
							state: { status: "completed", ...state(act) },
						})),
						{ type: "step-finish" },
					],
				);
			}
		}
		db.exec("COMMIT");
		db.close();
	},
};

const kilo: Format = {
	...opencode,
	agent: "kilo",
	path: ".local/share/kilo/kilo.db",
	database(path, script, session) {
		opencode.database!(path, script, session);
		const db = new DatabaseSync(path);
		db.exec("CREATE TABLE IF NOT EXISTS kilo_board (id TEXT)");
		db.close();
	},
};

/** The same rows, one file each. */
const oldOpencode: Format = {
	...opencode,
	path: ".local/share/opencode/storage/session/p1/ses_1.json",
	session: "ses_1",
	isOld: true,
	database(path, script, session) {
		const made = `${path}.db`;
		opencode.database!(made, script, session);
		const db = new DatabaseSync(made);
		const storage = join(dirname(path), "..", "..");
		const of = basename(path, ".json");
		const put = (folder: string, { id, data }: Record<string, unknown>) => {
			mkdirSync(join(storage, folder), { recursive: true });
			const value = { id, sessionID: of, ...JSON.parse(String(data)) };
			writeFileSync(join(storage, folder, `${id}.json`), JSON.stringify(value, null, 2));
		};
		const time = { created: START, updated: START };
		const facts = { id: of, version: "0.15.0", projectID: "p1", directory: CWD, title: "t", time };
		writeFileSync(path, JSON.stringify(facts, null, 2));
		for (const row of db.prepare("SELECT id, data FROM message").all()) put(`message/${of}`, row);
		for (const row of db.prepare("SELECT id, message_id, data FROM part").all()) put(`part/${row["message_id"]}`, row);
		db.close();
		rmSync(made);
	},
};

/** Pi's entries, which OpenClaw keeps too. `run`: the tool that runs a command. */
function piEntries(script: Script, header: object, run: string): object[] {
	const entries: object[] = [];
	let parentId: string | null = null;
	const add = (type: string, more: object) => {
		const id = `e${entries.length}`;
		entries.push({ type, id, parentId, timestamp: at(entries.length), ...more });
		parentId = id;
	};
	entries.push({ type: "session", timestamp: at(0), cwd: CWD, ...header });
	const ids = callIds();
	for (const step of script) {
		if ("user" in step) add("message", { message: { role: "user", content: step.user } });
		else if ("compacted" in step) add("compaction", { summary: step.compacted, tokensBefore: 9 });
		else {
			const calls = ids(step);
			const names = { read: "read", run, edit: "edit", create: "write", plan: "todo" };
			const args = (act: Act) =>
				act.do === "run"
					? { command: act.command }
					: act.do === "edit"
						? { path: act.file, edits: [{ oldText: act.before, newText: act.after }] }
						: act.do === "create"
							? { path: act.file, content: act.text }
							: act.do === "plan"
								? { items: act.items }
								: { path: act.file };
			const { input, read, output } = step.tokens;
			const content = [
				{ type: "text", text: step.answer },
				...step.acts.map((act, at) => ({
					type: "toolCall",
					id: calls[at],
					name: names[act.do],
					arguments: args(act),
				})),
			];
			add("message", {
				message: {
					role: "assistant",
					content,
					api: "a",
					provider: "p",
					model: "m",
					usage: { input, output, cacheRead: read, cacheWrite: 0 },
					stopReason: "stop",
				},
			});
			for (const [at, act] of step.acts.entries()) {
				const text = act.do === "read" ? act.text : act.do === "run" ? act.output : "ok";
				const details =
					act.do === "run"
						? { exitCode: act.exit }
						: act.do === "edit"
							? { patch: patchOf(act.before, act.after) }
							: act.do === "create"
								? { created: true, patch: `@@ -0,0 +1,1 @@\n+${act.text}` }
								: undefined;
				add("message", {
					message: {
						role: "toolResult",
						toolCallId: calls[at],
						toolName: names[act.do],
						content: [{ type: "text", text }],
						details,
						isError: false,
					},
				});
			}
		}
	}
	return entries;
}

const pi: Format = {
	agent: "pi",
	path: ".pi/agent/sessions/--home-mill-loom--/2026-04-01T09-00-00-000Z_ffffffff-1111-2222-3333-444444444444.jsonl",
	compacts: true,
	lines: (script) => piEntries(script, { version: 3, id: "ffffffff-1111-2222-3333-444444444444" }, "bash"),
};

const openclaw: Format = {
	agent: "openclaw",
	path: ".openclaw/agents/main/agent/openclaw-agent.sqlite",
	compacts: true,
	database(path, script, session) {
		const db = new DatabaseSync(path);
		db.exec(
			`CREATE TABLE IF NOT EXISTS transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, PRIMARY KEY (session_id, seq));
			BEGIN`,
		);
		const of = `s${session}`;
		const insert = db.prepare("INSERT INTO transcript_events VALUES (?, ?, ?, ?, NULL)");
		for (const [n, entry] of piEntries(script, { version: 4, id: of }, "exec").entries())
			insert.run(of, n, JSON.stringify(entry), START + n);
		db.exec("COMMIT");
		db.close();
	},
};

/** The same rows as one value. */
const exportedOpencode: Format = {
	...opencode,
	path: "exports/ses_1.json",
	session: "ses_1",
	isOld: true,
	isExport: true,
	database(path, script, session) {
		const made = `${path}.db`;
		opencode.database!(made, script, session);
		const db = new DatabaseSync(made);
		const sessionID = basename(path, ".json");
		const rows = (sql: string, ...of: string[]) =>
			db
				.prepare(sql)
				.all(...of)
				.map(({ id, data }) => ({ ...JSON.parse(String(data)), id, sessionID }));
		const messages = rows("SELECT id, data FROM message ORDER BY id").map((info) => ({
			info,
			parts: rows("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", String(info.id)),
		}));
		const time = { created: START, updated: START };
		const info = { id: sessionID, version: "1.18.33", projectID: "p1", directory: CWD, title: "t", time };
		writeFileSync(path, JSON.stringify({ info, messages }, null, 2));
		db.close();
		rmSync(made);
	},
};

export const FORMATS: readonly Format[] = [
	pi,
	codex,
	oldCodex,
	gemini,
	oldGemini,
	qwen,
	copilot,
	claudeCode,
	cline,
	continueCli,
	opencode,
	oldOpencode,
	exportedOpencode,
	kilo,
	openclaw,
];
