/** Builders of small Pi and Claude Code sessions, and recordings opened from them in a temporary folder. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { UNKNOWN_PRICES } from "../../src/base/tokens/prices.ts";
import { guessForm, readWire, shownText } from "../../src/message/view.ts";
import { type ModeReport, measureRequests } from "../../src/replay/mode-report.ts";
import { openRecording, type Recording } from "../../src/replay/recording.ts";
import { type PlannedRow, type ReplayedRequest, replayRow } from "../../src/replay/requests.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";

type Json = Record<string, unknown>;

/** Opens a recording of these lines, and deletes its file afterwards. */
export async function withRecording<T>(
	lines: readonly object[] | string,
	use: (recording: Recording, file: string) => T | Promise<T>,
): Promise<T> {
	const folder = temporaryFolder();
	const file = join(folder, "session.jsonl");
	const text = typeof lines === "string" ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
	writeFileSync(file, text);
	try {
		const recording = await openRecording(file);
		try {
			return await use(recording, file);
		} finally {
			recording.close();
		}
	} finally {
		removeFolder(folder);
	}
}

/** All requests of a row and their report. None may be invalid. */
export async function replayAll(
	recording: Recording,
	row: PlannedRow,
	window = 200_000,
	warpPer?: "run" | "request",
): Promise<{ readonly requests: readonly ReplayedRequest[]; readonly report: ModeReport }> {
	const requests: ReplayedRequest[] = [];
	const { fixedTokens, cacheLifetime } = recording;
	const replayed = replayRow(recording, { row, window, warpPer, profile: "balanced", prices: UNKNOWN_PRICES });
	const onRequest = (request: ReplayedRequest) => requests.push(request);
	const report = await measureRequests(replayed, { prices: UNKNOWN_PRICES, fixedTokens, cacheLifetime, onRequest });
	assert.deepEqual(report.invalidRequests, [], row);
	return { requests, report };
}

/** The text of each message; of a summary, only the summary. */
export function texts({ envelope }: ReplayedRequest): string[] {
	return envelope.messages.cached.map((message) =>
		String(message["summary"] ?? shownText(readWire(message, guessForm(message)))),
	);
}

/** A Pi session, entry by entry. Each entry follows the one before it, unless `more` names another parent. */
export class PiLines {
	readonly lines: Json[] = [{ type: "session", version: 3, id: "s1", timestamp: time(0), cwd: "/home/dev/app" }];
	#last: string | null = null;

	user(text: string, more: Json = {}): string {
		return this.add({ type: "message", message: { role: "user", content: [{ type: "text", text }] } }, more);
	}

	answer(content: readonly Json[], more: Json = {}, message: Json = {}): string {
		const stopReason = content.some((block) => block["type"] === "toolCall") ? "toolUse" : "stop";
		const identity = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5", stopReason };
		return this.add({ type: "message", message: { role: "assistant", content, ...identity, ...message } }, more);
	}

	result(callId: string, text: string, more: Json = {}): string {
		const content = [{ type: "text", text }];
		return this.add(
			{
				type: "message",
				message: { role: "toolResult", toolCallId: callId, toolName: "bash", content, isError: false },
			},
			more,
		);
	}

	/** `more`: parentId, and `at` in seconds. */
	add(entry: Json, more: Json = {}): string {
		const id = `e${this.lines.length}`;
		const { at = this.lines.length * 10, ...rest } = more;
		this.lines.push({ ...entry, id, parentId: this.#last, timestamp: time(Number(at)), ...rest });
		this.#last = id;
		return id;
	}
}

export function text(words: string): Json {
	return { type: "text", text: words };
}

export function call(id: string, name: string, args: Json): Json {
	return { type: "toolCall", id, name, arguments: args };
}

/** A line of Claude Code. */
export function line(uuid: string, parentUuid: string | null, message: Json, more: Json = {}): Json {
	const type = message["role"];
	return {
		type,
		uuid,
		parentUuid,
		sessionId: "c1",
		cwd: "/home/dev/app",
		timestamp: time(10),
		version: "2.0.0",
		message,
		...more,
	};
}

function time(seconds: number): string {
	return new Date(Date.UTC(2026, 2, 1, 8, 0, seconds)).toISOString();
}
