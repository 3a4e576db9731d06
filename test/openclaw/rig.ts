/** A workspace, a data home and an agent that works: sessions as OpenClaw would hand them over. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentMessage, ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { type ContextEngineOptions, createContextEngine } from "../../src/agent/openclaw/live.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import type { EventRecord } from "../../src/log/event/types.ts";

export const NOON = Date.UTC(2026, 2, 3, 12);

export interface Place {
	readonly cwd: string;
	readonly home: string;
	/** A context engine over this place; several may live at once. */
	engine(options?: Partial<ContextEngineOptions>): ContextEngine;
	/** What the log holds. */
	events(type: string, session?: string): EventRecord[];
	look<Answer>(work: (engine: Engine) => Answer): Answer;
	readonly warnings: string[];
}

/** `disposes` false: each test disposes of its engines itself, and none is held here. */
export function place(t: TestContext, settings: Record<string, string> = {}, { disposes = true } = {}): Place {
	const root = mkdtempSync(join(tmpdir(), "weft-openclaw-"));
	const [cwd, home] = [join(root, "work"), join(root, "home")];
	mkdirSync(cwd);
	writeFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
	const engines: ContextEngine[] = [];
	const warnings: string[] = [];
	t.after(async () => {
		for (const engine of engines) await engine.dispose();
		rmSync(root, { recursive: true, force: true });
	});
	const look = <Answer>(work: (engine: Engine) => Answer): Answer => {
		const engine = openEngine({ cwd, home, host: "test", env: {} });
		let isAsync = false;
		try {
			const answer = work(engine);
			isAsync = answer instanceof Promise;
			return isAsync ? ((answer as Promise<unknown>).finally(() => engine.close()) as Answer) : answer;
		} finally {
			if (!isAsync) engine.close();
		}
	};
	return {
		cwd,
		home,
		warnings,
		look,
		engine(options = {}) {
			const engine = createContextEngine({
				cwd,
				home,
				env: settings,
				now: () => NOON,
				warn: (message) => warnings.push(message),
				...options,
			});
			if (disposes) engines.push(engine);
			return engine;
		},
		events: (type, session) =>
			look(({ log }) => [...log.read({ types: [type], ...(session === undefined ? {} : { session }) })]),
	};
}

/** So close to each other that no provider has forgotten anything at noon. */
const time = (at: number): number => NOON - 60_000 + at * 10;

export function user(text: string, at?: number): AgentMessage {
	return { role: "user", content: text, ...(at === undefined ? {} : { timestamp: time(at) }) };
}

export function says(text: string, at?: number): AgentMessage {
	return {
		role: "assistant",
		content: [{ type: "text", text }],
		api: "fake",
		provider: "fake",
		model: "fake-1",
		stopReason: "stop",
		...(at === undefined ? {} : { timestamp: time(at) }),
	};
}

export function calls(id: string, command: string, at?: number): AgentMessage {
	return {
		...says(`I run ${command}.`, at),
		stopReason: "toolUse",
		content: [{ type: "toolCall", id, name: "exec", arguments: { command } }],
	};
}

export function result(id: string, text: string, at?: number): AgentMessage {
	return {
		role: "toolResult",
		toolCallId: id,
		toolName: "exec",
		content: [{ type: "text", text }],
		isError: false,
		...(at === undefined ? {} : { timestamp: time(at) }),
	};
}

/** A session of so many requests, each a call with its result of about `size` tokens. */
export function worked(requests: number, size: number, from = 0): AgentMessage[] {
	const messages: AgentMessage[] = [];
	for (let nth = from; nth < from + requests; nth++) {
		if (nth % 5 === 0) messages.push(user(`Please look into part ${nth}.`, nth * 3));
		messages.push(calls(`c${nth}`, `node report.js ${nth}`, nth * 3 + 1));
		const line = `part ${nth} holds value_${nth * 7} and nothing else\n`;
		const text = line.repeat(Math.ceil((size * 3.2) / line.length));
		messages.push(result(`c${nth}`, text, nth * 3 + 2));
	}
	return messages;
}

export const textOf = (message: AgentMessage | undefined): string => {
	const content = message?.["content"];
	if (typeof content === "string") return content;
	return (content as { text?: string }[] | undefined)?.map(({ text }) => text ?? "").join("\n") ?? "";
};
