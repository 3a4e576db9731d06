/** `weft hook opencode`: questions on standard input, one per line; an answer for each on standard output. */
import { idOfLargeMessage, MAX_MESSAGE_BYTES, messageTooLarge } from "../../agent/live/agent-messages.ts";
import { type AgentCalls, FAULT_METHOD, faultParams } from "../../agent/resident/call-lines.ts";
import { asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import { type StreamLine, StreamLines } from "../../base/text/stream-lines.ts";
import type { GlobalOptions } from "./options.ts";
import { passedCalls } from "./pass-to-resident.ts";

const QUESTION_METHOD = "question";

/** Passes the questions to the resident where one runs. */
export function serveQuestions(options: GlobalOptions): Promise<void> {
	const { env } = process;
	const load = async (cwd: string) => {
		const [{ Context }, { connectOpencode }] = await Promise.all([
			import("./context.ts"),
			import("./commands/opencode-questions.ts"),
		]);
		return connectOpencode({ env, home: new Context(options).home, cwd });
	};
	return answerQuestions(
		passedCalls({ words: ["hook", "opencode"], home: options.home, folder: options.project ?? process.cwd(), load }),
	);
}

/** Until standard input ends. */
export async function answerQuestions(calls: AgentCalls): Promise<void> {
	const never = new AbortController().signal;
	const ask = (method: string, params: JsonObject) => calls.answer(method, params, never).catch(() => undefined);
	for await (const line of linesOf(process.stdin)) {
		if (line.kind === "too-long") {
			await ask(FAULT_METHOD, faultParams("message", messageTooLarge(line.bytes, MAX_MESSAGE_BYTES)));
			print({ id: idOfLargeMessage(line) });
			continue;
		}
		const asked = parseObject(line.text);
		if (asked) print({ id: asked["id"], answer: await ask(QUESTION_METHOD, asObject(asked["question"]) ?? {}) });
	}
	await calls.end();
}

function print(answer: object): void {
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<StreamLine> {
	const lines = new StreamLines(MAX_MESSAGE_BYTES);
	for await (const chunk of stream) yield* lines.take(Buffer.from(chunk));
	yield* lines.rest();
}
