import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { random as seeded } from "../../bench/corpus.ts";
import { logId } from "../../src/log/retention/archive.ts";
import { checkChains } from "./chains.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import { Machine } from "./machine.ts";
import type { MachineJob } from "./machine-process.ts";
import { TestServer } from "./server.ts";

const MACHINES = 8;
const STEPS = 60;
const SEED = Number(process.env["WEFT_SEED"] ?? Date.now() % 1_000_000);
const HOUR_MS = 3_600_000;

test(`eight machines, kills everywhere: in the end each event is there once (seed ${SEED})`, {
	timeout: 240_000,
}, async () => {
	const random = seeded(SEED);
	const server = await TestServer.start();
	const roles = Array.from({ length: MACHINES }, (_, at) => `machine${at}`);
	await server.fleet("chaos", Object.fromEntries(roles.map((role) => [role, "red"])));
	const proxy = await CuttingProxy.start(server.port, SEED);
	const jobs = roles.map(
		(name, at): MachineJob => ({
			name,
			home: mkdtempSync(join(tmpdir(), `weft-${name}-`)),
			url: server.url(name, "chaos", proxy.port),
			project: `github.com/acme/app${at % 3}`,
			seed: SEED + at,
			steps: STEPS,
			clockMs: (at - 4) * HOUR_MS,
			deadly: 0.01,
		}),
	);
	const running = new Map<string, ChildProcess>();
	let isOver = false;
	let deaths = 0;
	let crashes = 0;
	const live = async (job: MachineJob): Promise<void> => {
		for (let deadly = job.deadly; ; deadly *= 0.8) {
			const child = spawn(
				process.execPath,
				[join(import.meta.dirname, "machine-process.ts"), JSON.stringify({ ...job, deadly })],
				{
					stdio: ["ignore", "ignore", "inherit"],
				},
			);
			running.set(job.name, child);
			const { promise, resolve } = Promise.withResolvers<number | null>();
			child.on("exit", resolve);
			const status = await promise;
			running.delete(job.name);
			if (status === 0 || isOver) return;
			if (status !== null) assert.fail(`${job.name} ended with ${status}`);
			deaths++;
		}
	};
	const killer = (async () => {
		for (let round = 0; !isOver; round++) {
			await sleep(1_500 + random() * 1_500);
			const victim = [...running.values()][Math.floor(random() * running.size)];
			if (round < 15) victim?.kill("SIGKILL");
			if (round === 0 || round === 3) {
				server.kill();
				await sleep(300);
				server.startAgain();
				crashes++;
			}
			if (round > 20) proxy.isCutting = false;
		}
	})();
	try {
		await Promise.all(jobs.map(live));
		isOver = true;
		await killer;
		await using all = await server.connect("machine0", "chaos");
		assert.deepEqual(await checkChains(all), []);
		for (const job of jobs) {
			using machine = new Machine(job.name, job.home);
			const { rows } = await all.query<{ seq: string; id: string }>(
				"SELECT seq, id FROM weft.event WHERE log = $1 ORDER BY n",
				[logId(machine.log)],
			);
			const own = [...machine.log.readStored()].map(({ seq, id }) => `${seq} ${id}`);
			assert.equal(own.length, STEPS * 3, job.name);
			assert.deepEqual(
				rows.map(({ seq, id }) => `${seq} ${id}`),
				own,
				job.name,
			);
			const acknowledged = readFileSync(join(job.home, "acknowledged"), "utf8").trim().split("\n").map(Number);
			assert.ok(Math.max(...acknowledged) <= rows.length, job.name);
		}
		const blobs = await all.query<{ n: string }>("SELECT count(*) AS n FROM weft.blob");
		assert.equal(Number(blobs.rows[0]!.n), 5 * jobs.length, "once per log");
		assert.ok(deaths > 5 && crashes > 0 && proxy.cuts > 0, `${deaths} deaths, ${crashes} crashes, ${proxy.cuts} cuts`);
		console.log(`${deaths} deaths, ${crashes} crashes of the server, ${proxy.cuts} cut connections`);
	} finally {
		isOver = true;
		for (const child of running.values()) child.kill("SIGKILL");
		await killer.catch(() => {});
		proxy.close();
		server.stop();
	}
});
