/**
 * Whose connection it is, on a system that tells: Linux lists the account of every socket. Reading the list takes longer the
 * more sockets there are, and any account can open thousands. So one reading answers for all connections that wait, each as soon
 * as it is found, and ends with the last of them. This thread does other work meanwhile.
 */
import { open } from "node:fs/promises";
import { endianness } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";

/** As a socket of Node's has them. */
export interface ConnectionEnds {
	readonly remoteAddress?: string | undefined;
	readonly remotePort?: number | undefined;
	readonly localAddress?: string | undefined;
	readonly localPort?: number | undefined;
}

interface WaitingPeer {
	/** The client's socket as each list writes it. */
	readonly ends: readonly string[];
	readonly answer: (isOwn: boolean | undefined) => void;
	readings: number;
}

/** Pieces of the lists, each of whole lines. None at all: this system has no such list. */
type SocketList = () => AsyncIterable<string>;

/** Connections that the system accepts while this thread is busy: with fewer, a crowd of them keeps the owner's waiting for seconds. */
export const MAX_BACKLOG = 4_096;
/** While others open and close sockets, one reading may miss a socket. */
const MAX_READINGS = 3;
const LISTS = ["/proc/net/tcp", "/proc/net/tcp6"] as const;
const READ_BYTES = 64 * 1024;
/** A list that is not there, or not for us. Other accounts can cause all other errors: by taking the last open file, for one. */
const NO_LIST: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);
/** Its two ends, its account, and its inode. */
const ROW = /: ([0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} \S+ \S+ \S+ +(\d+) +\d+ +(\d+)/g;

export class PeerAccounts {
	readonly #readList: SocketList;
	readonly #account: number | undefined;
	readonly #waiting = new Set<WaitingPeer>();
	readonly #byEnds = new Map<string, Set<WaitingPeer>>();
	#isReading = false;

	constructor(readList: SocketList = readSocketList, account = process.getuid?.()) {
		this.#readList = readList;
		this.#account = account;
	}

	/** False: another account of this machine opened it, or it is closed. Undefined: the system does not tell. */
	isOwn(connection: ConnectionEnds): Promise<boolean | undefined> {
		if (this.#account === undefined) return Promise.resolve(undefined);
		const ends = endsInLists(connection);
		if (ends.length === 0) return Promise.resolve(false);
		return new Promise((answer) => {
			const waiting = { ends, answer, readings: 0 };
			this.#waiting.add(waiting);
			for (const end of ends) this.#byEnds.set(end, (this.#byEnds.get(end) ?? new Set()).add(waiting));
			if (!this.#isReading) void this.#answerWaiting();
		});
	}

	async #answerWaiting(): Promise<void> {
		this.#isReading = true;
		while (this.#waiting.size > 0) {
			// Connections that arrive together share a reading. One that arrives during it is answered only if it is still found.
			await nextTurn();
			const asked = [...this.#waiting];
			const hasList = await this.#read();
			for (const each of asked.filter((waiting) => this.#waiting.has(waiting))) {
				if (!hasList) this.#settle(each, undefined);
				else if (++each.readings >= MAX_READINGS) this.#settle(each, false);
			}
		}
		this.#isReading = false;
	}

	/** False: the system has no list. */
	async #read(): Promise<boolean> {
		let hasList = false;
		try {
			for await (const piece of this.#readList()) {
				hasList = true;
				this.#find(piece);
				if (this.#waiting.size === 0) break;
			}
		} catch {
			return true;
		}
		return hasList;
	}

	/** The list shows a socket that its program has closed as root's, with the inode 0. */
	#find(piece: string): void {
		for (const [, ends = "", account, inode] of piece.matchAll(ROW)) {
			if (inode === "0") continue;
			for (const waiting of this.#byEnds.get(ends) ?? []) this.#settle(waiting, Number(account) === this.#account);
		}
	}

	#settle(waiting: WaitingPeer, isOwn: boolean | undefined): void {
		this.#waiting.delete(waiting);
		for (const end of waiting.ends) {
			const same = this.#byEnds.get(end);
			same?.delete(waiting);
			if (same?.size === 0) this.#byEnds.delete(end);
		}
		waiting.answer(isOwn);
	}
}

/**
 * The whole addresses: another account can connect from the same port of 127.0.0.2. A program may have connected by IPv6, to
 * an IPv4 address. Empty: the connection is closed, or is of no kind that we accept.
 */
function endsInLists({ remoteAddress, remotePort, localAddress, localPort }: ConnectionEnds): string[] {
	const [remote, local] = [ipv4InList(remoteAddress), ipv4InList(localAddress)];
	if (remote === undefined || local === undefined || remotePort === undefined || localPort === undefined) return [];
	const [client, server] = [remotePort, localPort].map((port) => port.toString(16).toUpperCase().padStart(4, "0"));
	const mapped = `${"0".repeat(16)}${isLittleEndian ? "FFFF0000" : "0000FFFF"}`;
	return ["", mapped].map((prefix) => `${prefix}${remote}:${client} ${prefix}${local}:${server}`);
}

const isLittleEndian = endianness() === "LE";

/** The four bytes in this machine's order, as 127.0.0.1 is `0100007F`. */
function ipv4InList(address = ""): string | undefined {
	const bytes = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i.exec(address)?.slice(1);
	const hex = bytes?.map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, "0"));
	return (isLittleEndian ? hex?.reverse() : hex)?.join("");
}

async function* readSocketList(): AsyncGenerator<string> {
	const buffer = Buffer.allocUnsafe(READ_BYTES);
	for (const file of LISTS) {
		await using handle = await open(file, "r").catch(noList);
		let rest = "";
		while (handle !== undefined) {
			const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, null);
			const text = rest + buffer.toString("latin1", 0, bytesRead);
			const end = bytesRead === 0 ? text.length : text.lastIndexOf("\n") + 1;
			rest = text.slice(end);
			if (end > 0) yield text.slice(0, end);
			if (bytesRead === 0) break;
		}
	}
}

function noList(error: unknown): undefined {
	if (!NO_LIST.has((error as NodeJS.ErrnoException).code)) throw error;
}
