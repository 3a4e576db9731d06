/** Answers an agent's hooks. Never fails: on any error the agent continues without an answer. */

import { createInterface } from "node:readline";
import { answerOnce } from "../../../agent/codex/live.ts";
import { CODEX_PORT } from "../../../agent/codex/port.ts";
import { LiveSessionFiles } from "../../../agent/live/live-session-files.ts";
import { OpencodeLive } from "../../../agent/opencode/live.ts";
import { OPENCODE_PORT } from "../../../agent/opencode/port.ts";
import { opencodeReader } from "../../../agent/opencode/reader.ts";
import { asObject, parseObject } from "../../../base/json/read.ts";
import { readWholeNumber } from "../../../base/text/whole-number.ts";
import { MIN_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import type { Context } from "../context.ts";
import type { Call } from "../frame.ts";
import { readOneOf } from "../options.ts";

export async function run({ context, args: [agent], options }: Call<"hook">): Promise<void> {
	const window = readWholeNumber("--window", options.window ?? context.env["WEFT_WINDOW"], MIN_WINDOW_TOKENS);
	const isOpencode = readOneOf("<agent>", agent, [CODEX_PORT.name, OPENCODE_PORT.name]) === OPENCODE_PORT.name;
	await (isOpencode ? answerLines(context, window) : answerStdin(context));
}

/** Reads one event as JSON from standard input; prints one answer or none. */
async function answerStdin({ env, home, folder, out }: Context): Promise<void> {
	const event = parseObject(await readAll(process.stdin));
	const answer = event && (await answerOnce(event, { env, home, folder }));
	if (answer) await out.text(`${JSON.stringify(answer)}\n`);
}

/** Answers one question per line until standard input ends. */
async function answerLines({ env, home, out, folder: cwd }: Context, window: number | undefined): Promise<void> {
	const warn = (notice: string) => live.notify(notice);
	const files = new LiveSessionFiles({ readers: [opencodeReader], port: OPENCODE_PORT, env, home, cwd, warn });
	const live: OpencodeLive = new OpencodeLive({ files, cwd, window });
	try {
		for await (const line of createInterface({ input: process.stdin })) {
			const asked = parseObject(line);
			if (!asked) continue;
			const answer = await live.answer(asObject(asked["question"]) ?? {});
			await out.text(`${JSON.stringify({ id: asked["id"], answer })}\n`);
		}
		await live.end();
	} finally {
		await files.close();
	}
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString("utf8");
}
