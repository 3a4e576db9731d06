/**
 * Whose connection it is, on a system that tells: Linux lists the account of every socket. Reading the list takes longer the
 * more sockets there are, and any account can open thousands. So one reading answers for all connections that wait for it,
 * and this thread does other work meanwhile.
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

interface Waiting {
	/** The client's socket as each list writes it. */
	readonly ends: readonly string[];
	readonly answer: (isOwn: boolean | undefined) => void;
	readings: number;
}

/** Connections that the system accepts while this thread is busy: with fewer, a crowd of them keeps the owner's waiting for seconds. */
export const MAX_BACKLOG = 4_096;
/** While others open and close sockets, one reading may miss a socket. */
const MAX_READINGS = 3;
const LISTS = ["/proc/net/tcp", "/proc/net/tcp6"] as const;
const READ_BYTES = 64 * 1024;
/** Its two ends, its account, and its inode. */
const ROW = /: ([0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} \S+ \S+ \S+ +(\d+) +\d+ +(\d+)/g;

export class PeerAccounts {
	readonly #readList: () => Promise<string | undefined>;
	readonly #account: number | undefined;
	#waiting: Waiting[] = [];
	#isReading = false;

	constructor(readList = readSocketList, account = process.getuid?.()) {
		this.#readList = readList;
		this.#account = account;
	}

	/** False: another account of this machine opened it, or it is closed. Undefined: the system does not tell. */
	isOwn(connection: ConnectionEnds): Promise<boolean | undefined> {
		if (this.#account === undefined) return Promise.resolve(undefined);
		return new Promise((answer) => {
			this.#waiting.push({ ends: endsInLists(connection), answer, readings: 0 });
			if (!this.#isReading) void this.#answerWaiting();
		});
	}

	async #answerWaiting(): Promise<void> {
		this.#isReading = true;
		while (this.#waiting.length > 0) {
			// Connections that arrive together share a reading. One that arrives during it may not be in it.
			await nextTurn();
			const asked = this.#waiting.splice(0);
			const list = await this.#readList().catch(() => undefined);
			const wanted = new Set(asked.flatMap(({ ends }) => ends));
			const accounts = list === undefined ? undefined : accountsOf(list, wanted);
			for (const each of asked) this.#decide(each, accounts);
		}
		this.#isReading = false;
	}

	#decide(asked: Waiting, accounts: ReadonlyMap<string, number> | undefined): void {
		const account = asked.ends.map((end) => accounts?.get(end)).find((found) => found !== undefined);
		if (accounts === undefined) asked.answer(undefined);
		else if (account !== undefined) asked.answer(account === this.#account);
		else if (++asked.readings < MAX_READINGS && asked.ends.length > 0) this.#waiting.push(asked);
		else asked.answer(false);
	}
}

/** Accounts by the two ends of a socket. The list shows one that its program has closed as root's, with the inode 0. */
function accountsOf(list: string, wanted: ReadonlySet<string>): Map<string, number> {
	const accounts = new Map<string, number>();
	for (const [, ends = "", account, inode] of list.matchAll(ROW)) {
		if (wanted.has(ends) && inode !== "0") accounts.set(ends, Number(account));
	}
	return accounts;
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

/** Undefined: this system has no such list. */
async function readSocketList(): Promise<string | undefined> {
	let list: string | undefined;
	const buffer = Buffer.allocUnsafe(READ_BYTES);
	for (const file of LISTS) {
		try {
			await using handle = await open(file, "r");
			list ??= "";
			for (;;) {
				const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, null);
				if (bytesRead === 0) break;
				list += buffer.toString("latin1", 0, bytesRead);
			}
		} catch {
			// One of them may be missing.
		}
	}
	return list;
}
