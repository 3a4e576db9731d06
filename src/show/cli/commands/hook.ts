/** `weft hook AGENT`: answers hooks of an agent. It never fails: whatever goes wrong, the agent goes on without an answer. */
import { createInterface } from "node:readline";
import { answerHook, sessionFolder } from "../../../agent/codex/hook.ts";
import { CODEX } from "../../../agent/codex/translate.ts";
import { faultOf } from "../../../agent/live/door.ts";
import { LiveFiles } from "../../../agent/live/live-files.ts";
import { openForAgent } from "../../../agent/live/open-for-agent.ts";
import { OPENCODE, OpencodeLive } from "../../../agent/opencode/live.ts";
import { opencodeReader } from "../../../agent/opencode/reader.ts";
import { asObject, parseObject } from "../../../base/json/read.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export async function run(
	context: Context,
	[agent]: readonly string[],
	options: { readonly window?: string } = {},
): Promise<void> {
	const window = wholeNumber("--window", options.window ?? context.env["WEFT_WINDOW"], 4_000);
	if (oneOf("<agent>", agent, [CODEX, OPENCODE]) === OPENCODE) await answerLines(context, window);
	else await answerOne(context);
}

/** One event as JSON on standard input, one answer or none. */
async function answerOne(context: Context): Promise<void> {
	const { env, home, out } = context;
	const event = parseObject(await readAll(process.stdin));
	if (!event) return;
	const cwd = await sessionFolder(event, context.folder);
	const opened = openForAgent({ cwd, env, home, host: CODEX, warn: (text) => out.talk(text) });
	try {
		const engine = opened.engine();
		const answer = engine && (await answerHook(event, engine, cwd));
		if (answer) await out.text(`${JSON.stringify(answer)}\n`);
	} catch (error) {
		opened.record(faultOf("hook", error));
	} finally {
		opened.close();
	}
}

/** A question in each line, an answer to each, until standard input ends. */
async function answerLines(context: Context, window: number | undefined): Promise<void> {
	const { env, home, out, folder: cwd } = context;
	const files = new LiveFiles({
		readers: [opencodeReader],
		env,
		home,
		cwd,
		host: OPENCODE,
		canTell: true,
		warn: (text) => out.talk(text),
	});
	const live = new OpencodeLive({ files, cwd, window });
	try {
		for await (const line of createInterface({ input: process.stdin })) {
			const asked = parseObject(line);
			if (!asked) continue;
			const answer = await live.answer(asObject(asked["question"]) ?? {}).catch((error: unknown) => {
				noteFault(files, cwd, error);
				return undefined;
			});
			await out.text(`${JSON.stringify({ id: asked["id"], answer })}\n`);
		}
		await live.end();
	} finally {
		await files.close();
	}
}

/** Nobody reads what a process beside opencode prints. */
function noteFault(files: LiveFiles, cwd: string, error: unknown): void {
	try {
		files.engineFor(cwd)?.record([{ type: "Fault", session: "-", payload: { ...faultOf("opencode", error) } }]);
	} catch {
		// It may be the log that failed.
	}
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString("utf8");
}
