/**
 * `npm run bench -- log --load`: eight processes append, one searches, one prunes, all at once; then the same with bare SQLite.
 * Measures the worst append and the largest WAL.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadArm, LoadRole } from "./load-child.ts";
import { itemAt, micros, type Ratio } from "./measure.ts";

const CHILD = fileURLToPath(new URL("load-child.ts", import.meta.url));
const WRITERS = 8;
const SECONDS = 10;
const MAX_WAL_BYTES = 16_000_000;
const LOOK_MS = 10;

export interface LoadBenchReport {
	readonly ratios: readonly Ratio[];
	/** Appends in all, and how long they took, ms: ours and the other's. */
	readonly appends: Readonly<Record<LoadArm, Measured>>;
}

interface Measured {
	readonly count: number;
	readonly medianMs: number;
	readonly worstMs: number;
	readonly walBytes: number;
}

export async function runLoadBench(options: {
	readonly onProgress?: (what: string) => void;
}): Promise<LoadBenchReport> {
	const say = options.onProgress ?? (() => {});
	const folder = mkdtempSync(join(tmpdir(), "weft-load-"));
	try {
		say(`${WRITERS} processes append to bare SQLite for ${SECONDS} s, one searches, one removes`);
		const bare = await runLoad("bare", join(folder, "bare"), "bare.db-wal");
		say(`${WRITERS} processes append to the log for ${SECONDS} s, one searches, one prunes`);
		const log = await runLoad("log", join(folder, "log"), "log.db-wal");
		return { ratios: [worst(log, bare), wal(log)], appends: { log, bare } };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function worst(log: Measured, bare: Measured): Ratio {
	return {
		name: "worst append under load",
		beside: "the worst bare INSERT under the same load",
		ratio: log.worstMs / bare.worstMs,
		bound: 20,
		detail: `${micros(log.worstMs)} against ${micros(bare.worstMs)}`,
	};
}

function wal(log: Measured): Ratio {
	return {
		name: "the WAL at its largest",
		beside: "16 MB",
		ratio: log.walBytes / MAX_WAL_BYTES,
		bound: 1,
		detail: `${(log.walBytes / 1e6).toFixed(1)} MB`,
	};
}

async function runLoad(arm: LoadArm, folder: string, walName: string): Promise<Measured> {
	mkdirSync(folder, { recursive: true });
	const roles: LoadRole[] = [...Array.from({ length: WRITERS }, () => "write" as const), "search", "prune"];
	const first = start(arm, itemAt(roles, 0), folder, 0);
	await first.ready;
	const others = roles.slice(1).map((role, n) => start(arm, role, folder, n + 1));
	const all = [first, ...others];
	let walBytes = 0;
	const looking = setInterval(() => {
		walBytes = Math.max(walBytes, statSync(join(folder, walName), { throwIfNoEntry: false })?.size ?? 0);
	}, LOOK_MS);
	try {
		await Promise.all(all.map(({ ready }) => ready));
		const end = Date.now() + SECONDS * 1_000;
		for (const { child } of all) child.stdin!.write(`${end}\n`);
		const results = await Promise.all(all.map(({ times }) => times));
		const appends = results
			.slice(0, WRITERS)
			.flat()
			.sort((a, b) => a - b);
		return {
			count: appends.length,
			medianMs: appends[appends.length >> 1] ?? 0,
			worstMs: appends.at(-1) ?? 0,
			walBytes,
		};
	} finally {
		clearInterval(looking);
		for (const { child } of all) child.kill("SIGKILL");
	}
}

interface Running {
	readonly child: ChildProcess;
	readonly ready: Promise<void>;
	readonly times: Promise<number[]>;
}

function start(arm: LoadArm, role: LoadRole, folder: string, n: number): Running {
	const child = spawn(process.execPath, [CHILD, role, arm, folder, String(n)], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const { promise: ready, resolve } = Promise.withResolvers<void>();
	let text = "";
	child.stdout!.on("data", (chunk) => {
		text += chunk;
		if (text.startsWith("ready\n")) resolve();
	});
	const times = new Promise<number[]>((done, fail) => {
		child.on("close", (code) => {
			resolve();
			if (code === 0) done(JSON.parse(text.slice("ready\n".length)) as number[]);
			else fail(new Error(`A process that should ${role} ended with ${code}.`));
		});
	});
	times.catch(() => {});
	return { child, ready, times };
}
