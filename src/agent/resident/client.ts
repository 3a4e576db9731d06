/** Passes a hook to the project's resident, and starts one if there is none. Loads little: a hook waits for it. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inFolder, isPrivate, type ResidentAddress } from "./address.ts";
import { MAX_SILENCE_MS } from "./call-lines.ts";
import { ANSWER_STATUS, type HookRequest, writeHookRequest } from "./hook-request.ts";

export type ResidentReply =
	| { readonly kind: "answered"; readonly text: Buffer }
	/** There is no resident, or it ends. */
	| { readonly kind: "absent" }
	/** The hook's own process must answer. */
	| { readonly kind: "refused" };

const MAX_START_MS = 6_000;
/** Of an hour of beats. */
const MAX_BEATS_BYTES = 1 << 18;
const START_POLL_MS = 15;
/** After a start that failed, hooks answer by themselves for a while. */
const RETRY_MS = 60_000;

const ABSENT: ResidentReply = { kind: "absent" };
const REFUSED: ResidentReply = { kind: "refused" };

/** Never throws. */
export async function askResident(address: ResidentAddress, request: HookRequest): Promise<ResidentReply> {
	try {
		const hung = await stateOfHung(address);
		if (hung) return hung === "hangs" ? REFUSED : ABSENT;
		const stream = connectTo(address);
		if (!stream) return ABSENT;
		const reply = await ask(stream, writeHookRequest(request));
		if (reply) return reply;
		markHung(address);
		return REFUSED;
	} catch {
		return ABSENT;
	}
}

/** Clients pass the resident by until it works again. */
export function markHung({ hung }: ResidentAddress): void {
	try {
		writeFileSync(hung, "", { mode: 0o600 });
	} catch {
		// Where it cannot be written, each client finds out by itself.
	}
}

/** Of one that was silent once. Undefined: there is none. A dead one never takes its mark away. */
export async function stateOfHung(address: ResidentAddress): Promise<"hangs" | "dead" | undefined> {
	if (!existsSync(address.hung)) return undefined;
	return (await isListening(address)) ? "hangs" : "dead";
}

/** Undefined: there is no socket, or it may be somebody else's. */
export function connectTo({ folder, socket }: ResidentAddress): Socket | undefined {
	try {
		if (!isPrivate(folder) || !isOwnSocket(join(folder, socket))) return undefined;
		return inFolder(folder, () => connect(socket));
	} catch {
		// The data folder is no folder, or cannot be entered.
		return undefined;
	}
}

function isOwnSocket(path: string): boolean {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	return stat?.isSocket() === true && (process.getuid === undefined || stat.uid === process.getuid());
}

/** Undefined: the resident hangs. It may still work on the hook; answering it twice loses nothing. */
function ask(stream: Socket, body: Buffer): Promise<ResidentReply | undefined> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let isSilent = false;
		const limit = setTimeout(() => {
			isSilent = true;
			stream.destroy();
		}, MAX_SILENCE_MS);
		let isConnected = false;
		stream.on("connect", () => {
			isConnected = true;
			stream.write(`POST /hook HTTP/1.1\r\nHost: weft\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`);
			stream.write(body);
		});
		stream.on("data", (chunk) => {
			limit.refresh();
			chunks.push(chunk);
		});
		// The end of the stream says the same.
		stream.on("error", () => {});
		stream.on("close", () => {
			clearTimeout(limit);
			if (isSilent) resolve(undefined);
			else resolve(isConnected ? readReply(Buffer.concat(chunks)) : ABSENT);
		});
	});
}

/** A resident that died gives no whole answer. */
function readReply(whole: Buffer): ResidentReply {
	// The resident says first, more than once, that it works on the answer.
	const beats = /^(?:HTTP\/1\.1 102 [^\r]*\r\n\r\n)+/.exec(whole.toString("latin1", 0, MAX_BEATS_BYTES))?.[0] ?? "";
	const bytes = whole.subarray(beats.length);
	const headEnd = bytes.indexOf("\r\n\r\n");
	const head = bytes.toString("latin1", 0, Math.max(0, headEnd));
	const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
	if (Number.isNaN(status) || status === ANSWER_STATUS.outdated) return ABSENT;
	const text = bytes.subarray(headEnd + 4);
	const isWhole = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]) === text.length;
	return status === ANSWER_STATUS.answered && isWhole ? { kind: "answered", text } : REFUSED;
}

export interface StartOptions {
	/** The arguments of Node that run the resident. */
	readonly command: readonly string[];
	readonly env: NodeJS.ProcessEnv;
}

/** Starts a resident, or waits for one that another hook starts. Never throws. False: there is none, and none comes. */
export async function startResident(address: ResidentAddress, options: StartOptions): Promise<boolean> {
	try {
		if (hasFailedLately(address) || !makeFolder(address.folder)) return false;
		// Loaded here: most hooks find a resident.
		const { takeLease } = await import("../../base/sqlite/lease.ts");
		using lease = takeLease(address.startLease);
		const child = lease && spawnResident(options);
		const isThere = await waitForSocket(address, child);
		if (lease && !isThere) writeFileSync(address.failure, "", { mode: 0o600 });
		if (isThere) rmSync(address.failure, { force: true });
		return isThere;
	} catch {
		return false;
	}
}

function hasFailedLately({ failure }: ResidentAddress): boolean {
	const stat = statSync(failure, { throwIfNoEntry: false });
	return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < RETRY_MS;
}

/** Never creates the data home: the engine does, where weft is on. */
function makeFolder(folder: string): boolean {
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch {
		// It is there, or cannot be made.
	}
	return isPrivate(folder);
}

/** It outlives the hook, and the agent's terminal. */
function spawnResident({ command, env }: StartOptions): ChildProcess {
	const child = spawn(process.execPath, command, { cwd: "/", env, detached: true, stdio: "ignore" });
	child.on("error", () => {});
	child.unref();
	return child;
}

async function waitForSocket(address: ResidentAddress, child: ChildProcess | undefined): Promise<boolean> {
	const until = Date.now() + MAX_START_MS;
	while (Date.now() < until) {
		const hasEnded = child !== undefined && (child.exitCode ?? child.signalCode) !== null;
		if (await isListening(address)) return true;
		if (hasEnded) return false;
		await pause(START_POLL_MS);
	}
	return false;
}

/** The socket of a resident that was killed is still there. */
async function isListening(address: ResidentAddress): Promise<boolean> {
	const stream = connectTo(address);
	if (!stream) return false;
	return new Promise((resolve) => {
		stream.once("error", () => resolve(false));
		stream.once("connect", () => {
			stream.destroy();
			resolve(true);
		});
	});
}
