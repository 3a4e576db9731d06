/** A proxy that runs in the project's resident, for a process that listens on a port: src/agent/resident/served-proxies.ts has the other end. */
import type { Socket } from "node:net";
import type { ResidentAddress } from "./address.ts";
import { MAX_SILENCE_MS, PIPE_HEADER, PIPE_NAME, PROXY_NAME } from "./call-lines.ts";
import { connectTo, markHung, stateOfHung } from "./client.ts";
import type { HookRequest } from "./hook-request.ts";
import { writeOpening } from "./opening.ts";

/** Gets the connections to a port. */
export interface ConnectionTaker {
	/** Rejects if it has not read a byte of it. */
	take(connection: Socket): Promise<void>;
	/** It takes no more. What it has taken may be answered still. */
	readonly ended: Promise<void>;
	end(): Promise<void>;
}

/** What the resident says before the first byte of its own. */
const MAX_HEAD_BYTES = 64 * 1024;
/** It may open a log first. */
const MAX_OPEN_MS = 10_000;

/** Undefined: the resident hangs, or is not the one for this process. `absent`: there is none, or it ends. Never throws. */
export async function openProxyInResident(
	address: ResidentAddress,
	process: HookRequest,
): Promise<ConnectionTaker | "absent" | undefined> {
	const hung = await stateOfHung(address);
	if (hung) return hung === "hangs" ? undefined : "absent";
	const stream = upgrade(address, PROXY_NAME);
	if (!stream) return "absent";
	const ended = new Promise<void>((resolve) => stream.once("close", resolve));
	let isServed = false;
	try {
		stream.write(writeOpening(process));
		await readUntil(stream, "\r\n\r\n", MAX_SILENCE_MS);
		isServed = true;
		const name = await readUntil(stream, "\n", MAX_OPEN_MS);
		stream.on("end", () => stream.destroy()).resume();
		return {
			take: async (connection) => {
				const answer = await pipe(address, name, connection);
				if (answer === "taken") return;
				if (answer === "silent") {
					// Another proxy takes its place.
					markHung(address);
					stream.destroy();
				}
				throw new Error("The resident has not taken the connection.");
			},
			ended,
			end: async () => {
				stream.end();
				await ended;
			},
		};
	} catch {
		const isGone = stream.destroyed;
		stream.destroy();
		return isGone && !isServed ? "absent" : undefined;
	}
}

async function pipe(address: ResidentAddress, name: string, connection: Socket): Promise<"taken" | "lost" | "silent"> {
	const stream = upgrade(address, PIPE_NAME, `${PIPE_HEADER}: ${name}\r\n`);
	if (!stream) return "lost";
	try {
		await readUntil(stream, "\r\n\r\n", MAX_SILENCE_MS);
	} catch {
		const isLost = stream.destroyed;
		stream.destroy();
		return isLost ? "lost" : "silent";
	}
	if (connection.destroyed) stream.destroy();
	// An end is passed on with what came before it.
	connection.on("close", () => connection.readableEnded || stream.destroy());
	stream.on("close", () => stream.readableEnded || connection.destroy());
	stream.pipe(connection);
	connection.pipe(stream);
	return "taken";
}

function upgrade(address: ResidentAddress, name: string, headers = ""): Socket | undefined {
	const stream = connectTo(address);
	// The end of the stream says the same.
	stream?.on("error", () => {});
	stream?.write(`GET /proxy HTTP/1.1\r\nHost: weft\r\nConnection: Upgrade\r\nUpgrade: ${name}\r\n${headers}\r\n`);
	return stream;
}

/** What comes before `mark`. Leaves the rest in the stream. Rejects if it ends first, or says nothing for too long. */
function readUntil(stream: Socket, mark: string, limitMs: number): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = "";
		const settle = (then: () => void) => {
			clearTimeout(timer);
			stream.off("readable", read).off("close", fail);
			then();
		};
		const fail = () => settle(() => reject(new Error("The resident does not answer.")));
		const timer = setTimeout(fail, limitMs);
		const read = () => {
			for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) {
				text += chunk.toString("latin1");
				const at = text.indexOf(mark);
				if (at >= 0) {
					const rest = text.slice(at + mark.length);
					settle(() => {
						if (rest !== "") stream.unshift(Buffer.from(rest, "latin1"));
						resolve(text.slice(0, at));
					});
					return;
				}
				if (text.length > MAX_HEAD_BYTES) return fail();
			}
		};
		stream.on("readable", read).on("close", fail);
		read();
	});
}
