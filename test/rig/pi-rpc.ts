/** Drives `pi --mode rpc`: one JSON object per line, in and out. Lines end at LF alone, as Pi's protocol demands. */
import type { ChildProcess } from "node:child_process";
import type { ModelRequest } from "./answer.ts";
import { startModelServer } from "./model-server.ts";
import { exitOf, type PiOptions, spawnPi } from "./pi.ts";

export type RpcRecord = Readonly<Record<string, unknown>> & { readonly type: string };

export interface PiRpc extends AsyncDisposable {
	/** Everything that Pi wrote, in order. */
	readonly records: readonly RpcRecord[];
	readonly requests: readonly ModelRequest[];
	/** Sends a command and gives its data; a refused command throws with Pi's reason. */
	command(type: string, fields?: Readonly<Record<string, unknown>>): Promise<unknown>;
	/** Sends a prompt and waits until Pi rests. */
	prompt(message: string): Promise<void>;
	/** Answers a dialog that an extension has opened. */
	answer(dialog: RpcRecord, value: string): void;
	/** The first record, from now on, for which `test` holds. */
	next(test: (record: RpcRecord) => boolean): Promise<RpcRecord>;
	/** Closes Pi's input, which is how it is asked to end, and waits for it. */
	end(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export async function startPiRpc(options: PiOptions): Promise<PiRpc> {
	const server = await startModelServer(options.script);
	const child = spawnPi(options, server.url, ["--mode", "rpc"]);
	// However Pi ends, the server ends with it, so that a failing test does not hang.
	const exit = exitOf(child).finally(() => server.close());
	const stderr: string[] = [];
	child.stderr?.setEncoding("utf8").on("data", (chunk: string) => stderr.push(chunk));
	const { records, next } = readRecords(child, exit, stderr);
	let commands = 0;

	const command = async (type: string, fields: Readonly<Record<string, unknown>> = {}) => {
		const id = `command-${++commands}`;
		const answered = next((record) => record.type === "response" && record["id"] === id);
		child.stdin?.write(`${JSON.stringify({ id, type, ...fields })}\n`);
		const response = await answered;
		if (response["success"] !== true) throw new Error(`Pi refused ${type}: ${response["error"]}`);
		return response["data"];
	};
	const end = async () => {
		child.stdin?.end();
		const code = await exit;
		return { code, stderr: stderr.join("") };
	};
	return {
		records,
		requests: server.requests,
		command,
		next,
		end,
		answer: ({ id }, value) =>
			void child.stdin?.write(`${JSON.stringify({ type: "extension_ui_response", id, value })}\n`),
		prompt: async (message) => {
			const settled = next((record) => record.type === "agent_settled");
			await Promise.all([command("prompt", { message }), settled]);
		},
		[Symbol.asyncDispose]: async () => {
			await end();
		},
	};
}

interface Waiter {
	readonly test: (record: RpcRecord) => boolean;
	readonly resolve: (record: RpcRecord) => void;
	readonly reject: (error: Error) => void;
}

function readRecords(child: ChildProcess, exit: Promise<number | null>, stderr: readonly string[]) {
	const records: RpcRecord[] = [];
	const waiters = new Set<Waiter>();
	let rest = "";
	let ended: Error | undefined;

	child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) take(JSON.parse(line) as RpcRecord);
	});
	const fail = (reason: string) => {
		ended = new Error(`Pi ended (${reason}) while something was awaited of it.\n${stderr.join("")}`);
		for (const waiter of waiters) waiter.reject(ended);
		waiters.clear();
	};
	exit.then(
		(code) => fail(`exit ${code}`),
		(error) => fail(String(error)),
	);

	function take(record: RpcRecord): void {
		records.push(record);
		for (const waiter of waiters) {
			if (!waiter.test(record)) continue;
			waiters.delete(waiter);
			waiter.resolve(record);
		}
	}
	const next = (test: (record: RpcRecord) => boolean) =>
		new Promise<RpcRecord>((resolve, reject) => {
			if (ended) reject(ended);
			else waiters.add({ test, resolve, reject });
		});
	return { records, next };
}
