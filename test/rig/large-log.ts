/**
 * A log of many sessions, made in seconds: for whoever asks whether a page, a list or a search stays quick. Its content is
 * small and always the same.
 */
import { type Engine, openEngine } from "../../src/engine.ts";
import type { NewEvent } from "../../src/log/event/types.ts";

export interface LargeLogOptions {
	readonly home: string;
	/** The project's folder. */
	readonly root: string;
	readonly sessions: number;
	/** Events of each session, about. */
	readonly events: number;
}

const START = Date.UTC(2026, 8, 1);
const HOUR_MS = 3_600_000;
const BATCH_SESSIONS = 50;
const TOPICS = ["parser", "billing", "search", "exports", "login", "tariffs", "calendar", "queue"];
/** Of one turn: the answer that calls, the call, its result as a message and as an event, the read, and the request. */
const TURN_EVENTS = 6;

/** Everything that follows the log is brought up to date, as at the end of a real session. */
export async function makeLargeLog({ home, root, sessions, events }: LargeLogOptions): Promise<void> {
	const engine = openEngine({ cwd: root, home, host: "pi" });
	for (let at = 0; at < sessions; at += BATCH_SESSIONS)
		append(engine, at, Math.min(sessions, at + BATCH_SESSIONS), events);
	engine.log.catchUp();
	engine.log.search.catchUp();
	await engine.endSession();
}

function append({ log }: Engine, from: number, to: number, events: number): void {
	const all: NewEvent[] = [];
	for (let at = from; at < to; at++) all.push(...sessionEvents(at, events));
	log.append(all, { packed: true });
}

function sessionEvents(at: number, events: number): NewEvent[] {
	const session = `session-${String(at).padStart(5, "0")}`;
	const topic = TOPICS[at % TOPICS.length]!;
	let ts = START + at * HOUR_MS;
	let parent: string | undefined;
	let entries = 0;
	const made: NewEvent[] = [];
	const put = (event: Omit<NewEvent, "session" | "host" | "ts">) =>
		made.push({ session, host: "pi", ts, ...event } as NewEvent);
	const say = (role: string, message: object) => {
		ts += 1_000;
		const id = `${String(at).padStart(5, "0")}${String(++entries).padStart(4, "0")}`;
		const raw = {
			type: "message",
			id,
			parentId: parent ?? null,
			timestamp: new Date(ts).toISOString(),
			message: { role, timestamp: ts, ...message },
		};
		put({
			type: "Message",
			entry: id,
			payload: { role, form: "pi", ...(parent === undefined ? {} : { parent }), raw },
		} as Omit<NewEvent, "session" | "host" | "ts">);
		parent = id;
	};
	put({ type: "SessionStarted", payload: { cwd: "/project" } });
	say("user", { content: [{ type: "text", text: `Repair the ${topic}, number ${at}.` }] });
	put({ type: "UserIntent", payload: { text: `Repair the ${topic}, number ${at}.` } });
	for (let turn = 0; made.length + TURN_EVENTS <= events; turn++) {
		const path = `src/${topic}/part-${turn % 7}.ts`;
		const callId = `call-${at}-${turn}`;
		const usage = {
			input: 12,
			output: 90,
			cacheRead: 4_000 + turn * 300,
			cacheWrite: 310,
			cost: { input: 0, output: 0.001, cacheRead: 0.001, cacheWrite: 0.001, total: 0.004 },
		};
		say("assistant", {
			content: [{ type: "toolCall", id: callId, name: "read", arguments: { path } }],
			model: "claude-sonnet-4-5",
			provider: "anthropic",
			api: "anthropic-messages",
			usage,
			stopReason: "toolUse",
		});
		put({ type: "ToolCalled", payload: { tool: "read", callId, input: { path } } });
		say("toolResult", {
			toolCallId: callId,
			toolName: "read",
			content: [{ type: "text", text: `export const ${topic}${turn} = ${at};\n` }],
			isError: false,
		});
		put({ type: "ToolResult", payload: { tool: "read", callId, status: "ok", chars: 30, lines: 1 } });
		put({ type: "FileRead", payload: { path, from: 1, to: 1, sliceHash: "0".repeat(64), tool: "read", callId } });
		put({ type: "Custom", payload: { name: "note", data: { topic, turn } } });
	}
	return made;
}
