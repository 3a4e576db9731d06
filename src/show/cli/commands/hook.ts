/** Answers an agent's hooks. Never fails: on any error the agent continues without an answer. */

import { answerOnce, recordHookFault } from "../../../agent/codex/live.ts";
import { CODEX_PORT } from "../../../agent/codex/port.ts";
import { MAX_MESSAGE_BYTES, messageTooLarge } from "../../../agent/live/agent-messages.ts";
import { OPENCODE_PORT } from "../../../agent/opencode/port.ts";
import { parseObject } from "../../../base/json/read.ts";
import type { Context } from "../context.ts";
import type { Call } from "../frame.ts";
import { hookInput } from "../hook-input.ts";
import { readOneOf } from "../options.ts";
import { answerQuestions } from "../serve-questions.ts";
import { connectOpencode } from "./opencode-questions.ts";

export async function run({ context, args: [agent], options }: Call<"hook">): Promise<void> {
	const { env, home, folder: cwd } = context;
	const isOpencode = readOneOf("<agent>", agent, [CODEX_PORT.name, OPENCODE_PORT.name]) === OPENCODE_PORT.name;
	if (isOpencode) await answerQuestions(connectOpencode({ env, home, cwd }, options.window ?? env["WEFT_WINDOW"]));
	else await answerStdin(context);
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
