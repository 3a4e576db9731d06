import assert from "node:assert/strict";
import { test } from "node:test";
import { PeerAccounts } from "./peer-account.ts";

const OWN = 1000;
const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";

/** As the system writes a client's socket. */
function row(client: string, server: string, account: number, inode = 4711): string {
	return `   1: ${client} ${server} 01 00000000:00000000 00:00000000 00000000 ${String(account).padStart(5)}        0 ${inode} 1 00000000f996c675 20 4 30 10 -1`;
}

function connection(remoteAddress: string, remotePort = 0xb036) {
	return { remoteAddress, remotePort, localAddress: "127.0.0.1", localPort: 0xa1af };
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
	yield* texts;
}

function accountsIn(rows: readonly string[]): PeerAccounts {
	return new PeerAccounts(() => pieces([HEAD, ...rows, ""].join("\n")), OWN);
}

test("compares whole addresses, in both lists", { skip: process.platform !== "linux" }, async () => {
	const mapped = "0000000000000000FFFF0000";
	const accounts = accountsIn([
		row("0100007F:B036", "0100007F:A1AF", OWN),
		row("0200007F:B036", "0100007F:A1AF", 65534),
		row(`${mapped}0300007F:B036`, `${mapped}0100007F:A1AF`, OWN),
		row("0400007F:B036", "0200007F:A1AF", OWN),
		// The program has closed its socket: the system no longer knows the account.
		row("0500007F:B036", "0100007F:A1AF", OWN, 0),
	]);
	const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6", "::ffff:127.0.0.1"];
	const answers = await Promise.all(addresses.map((address) => accounts.isOwn(connection(address))));
	assert.deepEqual(answers, [true, false, true, false, false, false, true]);
	assert.equal(await accounts.isOwn({}), false, "a connection that is closed");
});

test("reads the list once for a crowd, and again for a socket that it missed", async () => {
	let readings = 0;
	const late = row("0100007F:0001", "0100007F:A1AF", OWN);
	const accounts = new PeerAccounts(() => pieces(`${HEAD}\n${++readings === 1 ? "" : late}\n`), OWN);
	const crowd = Array.from({ length: 800 }, (_, at) => accounts.isOwn(connection("127.0.0.1", at + 1)));
	const answers = await Promise.all(crowd);
	assert.deepEqual([answers[0], answers.filter(Boolean).length, readings], [true, 1, 3]);
});

test("reads no further than the last socket that waits, and finds one that arrives meanwhile", async () => {
	const server = "0100007F:A1AF";
	const crowd = Array.from({ length: 100 }, (_, at) => row(`0900007F:${(4_096 + at).toString(16)}`, server, 65534));
	let read = 0;
	let second: Promise<boolean | undefined> | undefined;
	const accounts = new PeerAccounts(async function* () {
		for (const piece of [
			row("0100007F:0001", server, OWN),
			...crowd.slice(50),
			row("0100007F:0002", server, OWN),
			...crowd,
		]) {
			if (++read === 1) second = accounts.isOwn(connection("127.0.0.1", 2));
			yield `${piece}\n`;
		}
	}, OWN);
	assert.equal(await accounts.isOwn(connection("127.0.0.1", 1)), true);
	assert.ok(read < 52, "answered before the rest is read");
	assert.equal(await second, true);
	assert.equal(read, 52, "one reading, up to the second");
});

test("says when the system does not tell, and takes no failure for that", async () => {
	assert.equal(await new PeerAccounts(() => pieces(), OWN).isOwn(connection("127.0.0.1")), undefined);
	let readings = 0;
	const failing = new PeerAccounts(async function* () {
		if (++readings > 1) yield HEAD;
		throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
	}, OWN);
	assert.deepEqual([await failing.isOwn(connection("127.0.0.1")), readings], [false, 3]);
});
