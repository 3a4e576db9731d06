import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { sessionFold } from "../../src/state/session/session-fold.ts";

const WRITERS = 4;
const ROUNDS = 3;
const LIFETIME_MS = 350;
const LIMIT = 5_000;

const root = mkdtempSync(join(tmpdir(), "weft-kill-"));
const running = new Set<ChildProcess>();
after(() => {
	for (const child of running) child.kill("SIGKILL");
	rmSync(root, { recursive: true, force: true });
});

interface Writer {
	readonly name: string;
	readonly child: ChildProcess;
	/** Resolves when the process has ended, with what it acknowledged and what it said on stderr. */
	readonly ended: Promise<{ acknowledged: string[]; stderr: string }>;
	/** Resolves at the first acknowledged append. */
	readonly started: Promise<void>;
}

function startWriter(folder: string, name: string, limit: number): Writer {
	const child = spawn(process.execPath, [join(import.meta.dirname, "appender.ts"), folder, name, `${limit}`], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	running.add(child);
	let stdout = "";
	let stderr = "";
	const { promise: started, resolve: begin } = Promise.withResolvers<void>();
	child.stdout!.on("data", (chunk) => {
		stdout += chunk;
		begin();
	});
	child.stderr!.on("data", (chunk) => {
		stderr += chunk;
	});
	const ended = new Promise<{ acknowledged: string[]; stderr: string }>((resolve) => {
		child.on("close", () => {
			running.delete(child);
			begin();
			// A line is an acknowledgement only when it is whole.
			const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1);
			resolve({ acknowledged: whole.split(/\s+/).filter((word) => word !== "" && word !== "done"), stderr });
		});
	});
	return { name, child, ended, started };
}

function open(folder: string): Log {
	return new Log({ folder, origin: "reader", projection: () => new TableFolds([sessionFold]) });
}

test("kill -9 at any moment while several processes append: what was acknowledged is there, the chain is whole", async () => {
	const folder = join(root, "killed");
	const expected = new Map<string, string[]>();
	for (let round = 0; round < ROUNDS; round++) {
		const writers = Array.from({ length: WRITERS }, (_, n) => startWriter(folder, `r${round}w${n}`, LIMIT));
		await Promise.all(writers.map((writer) => writer.started));
		for (const [n, writer] of writers.entries()) {
			setTimeout(() => writer.child.kill("SIGKILL"), (LIFETIME_MS * (n + 1)) / WRITERS);
		}
		for (const writer of writers) {
			const { acknowledged, stderr } = await writer.ended;
			assert.equal(stderr, "", "no process may see a lock or any other error");
			assert.ok(acknowledged.length > 0);
			expected.set(writer.name, acknowledged);
		}
		using log = open(folder);
		assert.deepEqual(verify(log).problems, []);
		for (const [session, entries] of expected) {
			const stored = new Set([...log.read({ session })].map((record) => record.entry));
			assert.deepEqual(
				entries.filter((entry) => !stored.has(entry)),
				[],
			);
		}
	}
});

test("processes that open a new log at the same moment all write to one log, and none sees a lock", async () => {
	const folder = join(root, "together");
	const writers = Array.from({ length: WRITERS }, (_, n) => startWriter(folder, `w${n}`, 40));
	for (const writer of writers) assert.equal((await writer.ended).stderr, "");
	using log = open(folder);
	assert.equal(log.count(), WRITERS * (34 + 6 * 30));
	assert.deepEqual(verify(log).problems, []);
});
