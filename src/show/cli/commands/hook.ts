/** Answers an agent's hooks. Never fails: on any error the agent continues without an answer. */

import { answerOnce, recordHookFault } from "../../../agent/codex/live.ts";
import { CODEX_PORT } from "../../../agent/codex/port.ts";
import { idOfLargeMessage, MAX_MESSAGE_BYTES, messageTooLarge } from "../../../agent/live/agent-messages.ts";
import { LiveSessionFiles } from "../../../agent/live/live-session-files.ts";
import { OpencodeLive } from "../../../agent/opencode/live.ts";
import { OPENCODE_PORT } from "../../../agent/opencode/port.ts";
import { opencodeReader } from "../../../agent/opencode/reader.ts";
import { asObject, parseObject } from "../../../base/json/read.ts";
import { type StreamLine, StreamLines } from "../../../base/text/stream-lines.ts";
import { readWholeNumber } from "../../../base/text/whole-number.ts";
import { MIN_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import type { Context } from "../context.ts";
import type { Call } from "../frame.ts";
import { hookInput } from "../hook-input.ts";
import { readOneOf } from "../options.ts";

export async function run({ context, args: [agent], options }: Call<"hook">): Promise<void> {
	const window = readWholeNumber("--window", options.window ?? context.env["WEFT_WINDOW"], MIN_WINDOW_TOKENS);
	const isOpencode = readOneOf("<agent>", agent, [CODEX_PORT.name, OPENCODE_PORT.name]) === OPENCODE_PORT.name;
	await (isOpencode ? answerLines(context, window) : answerStdin(context));
}

/** Reads one event as JSON from standard input; prints one answer or none. */
async function answerStdin({ env, home, folder, out }: Context): Promise<void> {
	const place = { env, home, folder };
	const { bytes, message } = await hookInput(MAX_MESSAGE_BYTES);
	if (!message) {
		recordHookFault(messageTooLarge(bytes, MAX_MESSAGE_BYTES), place);
		return;
	}
	const event = parseObject(message.toString("utf8"));
	const answer = event && (await answerOnce(event, place));
	if (answer) await out.text(`${JSON.stringify(answer)}\n`);
}

/** Answers one question per line until standard input ends. */
async function answerLines({ env, home, out, folder: cwd }: Context, window: number | undefined): Promise<void> {
	const warn = (notice: string) => live.notify(notice);
	const files = new LiveSessionFiles({ readers: [opencodeReader], port: OPENCODE_PORT, env, home, cwd, warn });
	const live: OpencodeLive = new OpencodeLive({ files, cwd, window });
	const answer = async (line: StreamLine): Promise<object | undefined> => {
		if (line.kind === "too-long") {
			files.projectFor(cwd);
			files.doorFor(cwd).fail("message", messageTooLarge(line.bytes, MAX_MESSAGE_BYTES));
			return { id: idOfLargeMessage(line) };
		}
		const asked = parseObject(line.text);
		return asked && { id: asked["id"], answer: await live.answer(asObject(asked["question"]) ?? {}) };
	};
	try {
		for await (const line of linesOf(process.stdin)) {
			const answered = await answer(line);
			if (answered) await out.text(`${JSON.stringify(answered)}\n`);
		}
		await live.end();
	} finally {
		await files.close();
	}
}

async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<StreamLine> {
	const lines = new StreamLines(MAX_MESSAGE_BYTES);
	for await (const chunk of stream) yield* lines.take(Buffer.from(chunk));
	yield* lines.rest();
}
