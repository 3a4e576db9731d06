/** `weft hook AGENT`: answers one hook of an agent. Its event comes as JSON on standard input. It never fails. */
import { answerHook } from "../../hosts/codex/hook.ts";
import { CODEX } from "../../hosts/codex/translate.ts";
import { faultOf } from "../../hosts/door.ts";
import { openForAgent } from "../../hosts/open-for-agent.ts";
import { asName, parseObject } from "../../json/read.ts";
import { oneOf } from "../arguments.ts";
import type { Context } from "../context.ts";

export async function run(context: Context, [agent]: readonly string[]): Promise<void> {
	oneOf("<agent>", agent, [CODEX]);
	const { env, home, out } = context;
	const event = parseObject(await readAll(process.stdin));
	if (!event) return;
	const cwd = asName(event["cwd"]) ?? context.folder;
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

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString("utf8");
}
