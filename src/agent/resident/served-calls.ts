/** The resident's end of a connection that stays: answers the calls of one process of an agent until it closes the connection. */
import type { Duplex } from "node:stream";
import type { JsonObject } from "../../base/json/read.ts";
import { RPC_CODES, RpcError, serveJsonRpc } from "../mcp/json-rpc.ts";
import { type AgentCalls, END_METHOD, OPEN_METHOD } from "./call-lines.ts";
import { ConnectionWork } from "./connection-work.ts";

export interface ServedCallsOptions {
	/** Undefined: the resident is not the one to answer this process. */
	readonly open: (process: JsonObject) => Promise<AgentCalls | undefined>;
	/** The resident ends: the connection does too, once all calls are answered. */
	readonly ending: AbortSignal;
}

/** Resolves when the connection has ended and the rest of the session is recorded. */
export async function serveCalls(stream: Duplex, { open, ending }: ServedCallsOptions): Promise<void> {
	let calls: AgentCalls | undefined;
	let ended: Promise<void> | undefined;
	const end = () => {
		ended ??= calls?.end();
		return ended;
	};
	const answer = async (method: string, params: JsonObject, signal: AbortSignal): Promise<unknown> => {
		if (method === OPEN_METHOD) {
			calls ??= await open(params);
			if (calls) return {};
		}
		if (!calls) throw new RpcError(RPC_CODES.invalid, "This process must answer by itself.");
		if (method !== END_METHOD) return calls.answer(method, params, signal);
		await end();
		return {};
	};
	using work = new ConnectionWork(stream, ending);
	try {
		await serveJsonRpc({
			input: stream,
			output: stream,
			signal: work.stopped,
			answer: (method, params, signal) => work.during(() => answer(method, params, signal)),
			// The process on the other end has checked what it passes.
			onFault: () => {},
		});
	} finally {
		stream.destroy();
		await end();
	}
}
