import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import type { NewEvent } from "../event/types.ts";
import { handleDigits, handleOf } from "../handle.ts";
import { Log } from "../log.ts";
import { verify } from "../repair/verify.ts";
import { prune } from "../retention/prune.ts";
import { restoreArchive } from "../retention/restore.ts";

const root = temporaryFolder();

let folders = 0;
const folder = () => join(root, `log-${++folders}`);
const open = (path: string, readOnly = false) => new Log({ folder: path, origin: "here", readOnly, now: () => 1e12 });

function message(n: number, session = "s"): NewEvent {
	const payload = { role: "user", form: "pi" } as const;
	return { type: "Message", session, host: "pi", ts: n, entry: `e${n}`, payload, raw: "{}" };
}

function read(n: number): NewEvent {
	const payload = { path: `f${n}`, from: 1, to: 2, sliceHash: "0", tool: "read", callId: "c" };
	return { type: "FileRead", session: "s", host: "pi", ts: n, payload };
}

test("a handle says what its host called the event, whatever lies before it in the log", () => {
	using one = open(folder());
	using other = open(folder());
	other.append([message(7, "another"), read(1)]);
	const [first] = one.append([message(1), message(2)]).seqs;
	const [shifted] = other.append([message(1), message(2)]).seqs;
	const handle = one.handleAt(first!)!;
	assert.match(handle, /^m-[0-9a-f]{12}$/);
	assert.equal(other.handleAt(shifted!), handle);
	assert.deepEqual([one.findHandle(handle), other.findHandle(handle)], [first, shifted]);
	assert.equal(other.findHandle(handle.replace("m-", "e-")), shifted, "e- names any event");
	assert.equal(one.findHandle(other.handleAt(1)!), undefined, "a foreign log's event");
});

test("a handle has twelve hex digits, no more and no fewer", () => {
	assert.equal(handleDigits("m-123456789012"), "123456789012");
	for (const text of ["m-", "e-12", "m-12345678901", "m-1234567890123", "m-12a", "s-123456789012", "x"]) {
		assert.equal(handleDigits(text), undefined, text);
	}
});

test("a log that cannot be written answers for what is indexed and for what is not", () => {
	const path = folder();
	const writer = open(path);
	writer.append([message(1), read(1)]);
	writer.findHandle("m-000000000000");
	writer.append([message(2), read(2)]);
	const handles = [1, 2, 3, 4].map((seq) => writer.handleAt(seq)!);
	writer.close();
	using reader = open(path, true);
	assert.deepEqual(
		handles.map((handle) => reader.findHandle(handle)),
		[1, 2, 3, 4],
	);
	assert.deepEqual(reader.checkHandles(), []);
});

test("the index follows pruning and restoring, and equals one made again", async () => {
	const path = folder();
	using log = open(path);
	log.append(Array.from({ length: 40 }, (_, n) => [message(n), read(n)]).flat());
	log.catchUp();
	const records = [...log.read()];
	const { archive } = await prune(log, { now: 9e12, minEvents: 0, apply: true });
	const found = () => records.map((record) => log.findHandle(handleOf(record)));
	assert.deepEqual(
		found(),
		records.map(({ type, seq }) => (type === "Message" ? seq : undefined)),
	);
	assert.deepEqual(verify(log).problems, []);
	await restoreArchive(log, archive!);
	assert.deepEqual(
		found(),
		records.map(({ seq }) => seq),
	);
	assert.deepEqual(verify(log).problems, []);
	log.rebuild();
	assert.deepEqual(verify(log).problems, []);
});

test("what was rolled back is not found", () => {
	using log = open(folder());
	const lost = handleOf({ session: "s", host: "pi", type: "Message", entry: "e1" });
	assert.throws(() =>
		log.transaction(() => {
			log.append([message(1)]);
			assert.equal(log.findHandle(lost), 1);
			throw new Error("no");
		}),
	);
	assert.equal(log.findHandle(lost), undefined);
	log.append([message(2)]);
	assert.deepEqual([log.findHandle(lost), log.findHandle(log.handleAt(1)!)], [undefined, 1]);
});
