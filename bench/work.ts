/** Events of an agent at work, made from a seed: requests, reads, edits, commands that pass and fail. */
import type { NewEvent } from "../src/log/event/types.ts";
import { MessageSource, random } from "./corpus.ts";

const STEP_MS = 1_000;
const TURNS_PER_REQUEST = 12;
const HASH = "0123456789abcdef".repeat(4);

export class WorkSource {
	readonly #random = random(11);
	readonly #words = new MessageSource(7);
	readonly #session = "bench";
	#count = 0;
	#turn = 0;

	/** Minimum number of events; turns stay whole. */
	events(least: number): NewEvent[] {
		const events: NewEvent[] = this.#count === 0 ? [this.#event("SessionStarted", { cwd: "/home/dev/project" })] : [];
		while (events.length < least) events.push(...this.#oneTurn());
		return events;
	}

	/** A single event of the kind that costs the most to fold. */
	one(): NewEvent {
		return this.#changed("one-more");
	}

	#oneTurn(): NewEvent[] {
		const id = `call-${++this.#turn}`;
		const events = this.#turn % TURNS_PER_REQUEST === 1 ? this.#request() : [];
		const kind = this.#random();
		const tool = kind < 0.4 ? "read" : kind < 0.7 ? "edit" : "bash";
		const call = { type: "toolCall", id, name: tool, arguments: { path: this.#path() } };
		const text = tool === "bash" ? this.#output() : this.#words.text();
		const result = {
			role: "toolResult",
			toolCallId: id,
			toolName: tool,
			content: [{ type: "text", text }],
			isError: false,
		};
		return [
			...events,
			this.#message("assistant", { role: "assistant", content: [call] }),
			this.#event("ToolCalled", { tool, callId: id, input: call.arguments }),
			this.#message("toolResult", result),
			this.#event("ToolResult", { tool, callId: id, status: "ok", chars: text.length, lines: 1 }),
			tool === "read" ? this.#read(id) : tool === "edit" ? this.#changed(id) : this.#ran(id),
		];
	}

	#request(): NewEvent[] {
		const text = this.#words.text().slice(0, 300);
		return [
			this.#message("user", { role: "user", content: [{ type: "text", text }] }),
			this.#event("UserIntent", { text }),
		];
	}

	#read(callId: string): NewEvent {
		return this.#event("FileRead", { path: this.#path(), from: 1, to: 80, sliceHash: HASH, tool: "read", callId });
	}

	#changed(callId: string): NewEvent {
		const path = this.#path();
		const diff = `--- a/${path}\n+++ b/${path}\n@@ -4,3 +4,4 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n+const c = 4;\n end();\n`;
		const payload = { path, kind: "edit", added: 2, removed: 1, diff, actor: "agent", tool: "edit", callId } as const;
		return this.#event("FileChanged", payload);
	}

	#ran(callId: string): NewEvent {
		const exit = this.#random() < 0.3 ? 1 : 0;
		const payload = { command: "npm test", exit, chars: 60, lines: 2, by: "agent", tool: "bash", callId } as const;
		return this.#event("CommandRun", payload);
	}

	#output(): string {
		return `AssertionError: expected ${Math.floor(this.#random() * 40)} to be 0\n1 failed`;
	}

	/** Most of the work is in few files. */
	#path(): string {
		return `src/part${Math.floor(this.#random() ** 3 * 40)}/file${Math.floor(this.#random() ** 2 * 50)}.ts`;
	}

	#message(role: string, message: object): NewEvent {
		const raw = JSON.stringify({ type: "message", id: `e${this.#count}`, message });
		return { ...this.#event("Message", { role, form: "pi" }), raw } as NewEvent;
	}

	#event(type: string, payload: object): NewEvent {
		const n = this.#count++;
		return { type, session: this.#session, host: "pi", ts: n * STEP_MS, entry: `e${n}`, payload } as NewEvent;
	}
}
