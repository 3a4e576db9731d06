import assert from "node:assert/strict";
import { test } from "node:test";
import { GuardedProject } from "../../test/rig/guarded-session.ts";
import { ClaudeCodeTranslator } from "../agent/claude-code/translate.ts";
import { baseFromLog } from "./base-text.ts";
import { DiskFiles } from "./disk.ts";
import { findRecord } from "./file-record.ts";
import { Guard } from "./guard.ts";
import { DEFAULT_GUARD_SETTINGS, type GuardCall, type Outcome } from "./types.ts";

const of = { session: "s", host: "claude-code" };

/** A session in Claude Code's form: texts are shown with numbers, and noted beside the result with \n as line end. */
class ClaudeSession {
	readonly project = new GuardedProject();
	readonly #translator = new ClaudeCodeTranslator({ session: "s" });
	readonly #guard = new Guard({
		state: () => this.project.state(),
		files: new DiskFiles(),
		base: baseFromLog(this.project.log),
		settings: DEFAULT_GUARD_SETTINGS,
		powers: { canChangeInput: false },
	});
	#lines = 0;

	[Symbol.dispose](): void {
		this.project[Symbol.dispose]();
	}

	read(name: string, shown: string, startLine = 1, totalLines = shown.split("\n").length): void {
		const path = this.project.path(name);
		const content = shown
			.split("\n")
			.map((line, i) => `${String(startLine + i).padStart(6)}→${line}`)
			.join("\n");
		const file = { filePath: path, content: shown, numLines: shown.split("\n").length, startLine, totalLines };
		this.#run("Read", { file_path: path }, content, { type: "text", file });
	}

	write(name: string, content: string): void {
		const path = this.project.path(name);
		const { call } = this.#call("Write", { file_path: path, content });
		this.project.put(name, content);
		this.#answer(call, "File written.", { type: "update", filePath: path, content, structuredPatch: [] });
	}

	edit(name: string, old_string: string, new_string: string): Outcome {
		return this.#call("Edit", { file_path: this.project.path(name), old_string, new_string }).outcome;
	}

	#run(tool: string, input: Record<string, unknown>, content: string, note: object): void {
		this.#answer(this.#call(tool, input).call, content, note);
	}

	#call(tool: string, input: Record<string, unknown>): { call: GuardCall; outcome: Outcome } {
		const callId = `toolu_${++this.#lines}`;
		this.#say("assistant", { role: "assistant", content: [{ type: "tool_use", id: callId, name: tool, input }] });
		const call = { ...of, cwd: this.project.folder, tool, callId, input };
		const outcome = this.#guard.before(call);
		this.project.record(outcome.events);
		return { call, outcome };
	}

	#answer(call: GuardCall, text: string, details: object): void {
		const { callId, tool } = call;
		this.project.record(
			this.#guard.after(call, { kind: "result", callId, tool, text, isError: false, details }).events,
		);
		const content = [{ type: "tool_result", tool_use_id: callId, content: text }];
		this.#say("user", { role: "user", content }, { toolUseResult: details });
	}

	#say(type: string, message: object, more: object = {}): void {
		const uuid = `u${++this.#lines}`;
		const line = {
			type,
			uuid,
			sessionId: "s",
			cwd: this.project.folder,
			timestamp: new Date().toISOString(),
			message,
			...more,
		};
		this.project.record(this.#translator.translate(line, JSON.stringify(line)));
	}
}

test("a whole read is known although its line ends were changed to be shown", () => {
	using session = new ClaudeSession();
	session.project.put("a.ts", "one\r\ntwo\r\nthree\r\n");
	session.read("a.ts", "one\ntwo\nthree\n");
	session.project.put("a.ts", "one\r\nTWO\r\nthree\r\n");
	const outcome = session.edit("a.ts", "two", "2");
	assert.ok(outcome.action === "block");
	assert.match(outcome.reason, / one\n-two\n\+TWO\n three\n/);
});

test("a part is known by its lines", () => {
	using session = new ClaudeSession();
	const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`);
	session.project.put("a.ts", lines.join("\n"));
	session.read("a.ts", lines.slice(19, 40).join("\n"), 20, 60);
	const record = findRecord(session.project.state().files, of, "a.ts");
	assert.deepEqual(baseFromLog(session.project.log)(record!, of), {
		kind: "slices",
		slices: [{ from: 20, text: lines.slice(19, 40).join("\n") }],
	});
});

test("a text that was written over another is known from the call", () => {
	using session = new ClaudeSession();
	session.project.put("a.ts", "old\n");
	session.read("a.ts", "old\n");
	session.write("a.ts", "new\ntext\n");
	const record = findRecord(session.project.state().files, of, "a.ts");
	assert.deepEqual(baseFromLog(session.project.log)(record!, of), { kind: "whole", text: "new\ntext\n" });
});

test("a text that cannot be proven by its hash is not known", () => {
	using session = new ClaudeSession();
	session.project.put("a.ts", "one\n");
	session.read("a.ts", "one\n");
	const record = findRecord(session.project.state().files, of, "a.ts");
	const other = { ...record!, hash: "0".repeat(64), textHash: null };
	assert.deepEqual(baseFromLog(session.project.log)(other, of)?.kind, "slices");
	assert.equal(baseFromLog(session.project.log)({ ...other, path: "b.ts" }, of), undefined);
});
