/**
 * The resident's end of plugin/weft-mcp.pl: the MCP server of an agent, whose process only passes lines on. It first sends
 * itself, as a hook does, after the number of its bytes. The resident says `0` when it serves, then the number of each line that
 * needs nothing more, with the answer if there is one, and `end` when the rest of the session is recorded. The process keeps the
 * lines without a number, for the one that answers them if the resident dies.
 */
import type { Duplex } from "node:stream";
import { ownVersion } from "../../base/file/package-file.ts";
import { recordsEndOf, serveMcp } from "../mcp/server.ts";
import type { AgentCalls } from "./call-lines.ts";
import { ConnectionWork } from "./connection-work.ts";
import { readOpening } from "./opening.ts";
import type { ServedCallsOptions } from "./served-calls.ts";

/** Resolves when the connection has ended and the rest of the session is recorded. */
export async function serveRelay(stream: Duplex, { open, ending }: ServedCallsOptions): Promise<void> {
	using work = new ConnectionWork(stream, ending);
	try {
		const opened = await readOpening(stream, work.stopped);
		if (!opened) return;
		const { args, env, input } = opened;
		const [pid, folder] = input.toString("utf8").split("\0");
		const calls = await open({ args: [...args], env: { ...env }, pid: Number(pid), folder: folder ?? "" });
		if (!calls) return;
		stream.write("0\n");
		await serveMcp({
			version: ownVersion(),
			recordsEnd: recordsEndOf(env),
			calls: whileWorking(calls, work),
			input: stream,
			output: stream,
			signal: work.stopped,
			onDone: (line, answer) => stream.write(answer === undefined ? `${line}\n` : `${line} ${answer}\n`),
		});
		// A resident that ends early leaves the rest of the session to the next one.
		if (!work.stopped.aborted) stream.end("end\n");
	} finally {
		if (!stream.writableEnded) stream.destroy();
	}
}

function whileWorking(calls: AgentCalls, work: ConnectionWork): AgentCalls {
	return {
		answer: (method, params, signal) => work.during(() => calls.answer(method, params, signal)),
		end: () => work.during(() => calls.end()),
	};
}
