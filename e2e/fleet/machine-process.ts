/**
 * One machine as a process: its agent writes while its shipper ships. Between any two statements, and at any other moment, it
 * may die as by kill -9; whoever started it starts it again. It ends by itself when all it had to write has been shipped.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { random as seeded } from "../../bench/corpus.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { connectFleet, type FleetConnection } from "../../src/fleet/connection.ts";
import { readAddress } from "../../src/settings/fleet-address.ts";
import { Machine } from "./machine.ts";

export interface MachineJob {
	readonly name: string;
	readonly home: string;
	readonly url: string;
	readonly project: string;
	readonly seed: number;
	readonly steps: number;
	/** How far its clock is ahead. */
	readonly clockMs: number;
	/** How likely it dies at a statement. */
	readonly deadly: number;
}

const job = JSON.parse(process.argv[2] ?? "{}") as MachineJob;
const random = seeded(job.seed + process.pid);
const machine = new Machine(job.name, job.home, () => Date.now() + job.clockMs);
const acknowledged = join(job.home, "acknowledged");

function maybeDie(): void {
	if (random() < job.deadly) process.kill(process.pid, "SIGKILL");
}

function deadly(connection: FleetConnection): FleetConnection {
	return {
		...connection,
		query: async <Row>(sql: string, values?: readonly unknown[]) => {
			maybeDie();
			const answer = await connection.query<Row>(sql, values);
			maybeDie();
			return answer;
		},
	};
}

async function shipOnce(): Promise<boolean> {
	let connection: FleetConnection | undefined;
	try {
		connection = await connectFleet(readAddress(job.url, {}), { connectMs: 3_000, statementMs: 5_000 });
		await machine.ship(deadly(connection), job.project, {
			bounds: { events: 1 + Math.floor(random() * 12) },
			onBatch: ({ n }) => appendFileSync(acknowledged, `${n}\n`),
		});
		return true;
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
		return false;
	} finally {
		await connection?.close();
	}
}

async function writeAll(): Promise<void> {
	const written = [...machine.log.read({ types: ["Message"] })].length;
	for (let step = written; step < job.steps; step++) {
		const text = `${job.name} step ${step} ${"lorem ".repeat(Math.floor(random() * 200))}`;
		const blob = machine.log.putBlob(Buffer.from(`output ${step % 5} of everybody`));
		machine.say(`${job.name}-${step % 3}`, `e${step}`, text, [
			{
				type: "Custom",
				session: job.name,
				host: "pi",
				ts: Date.now(),
				entry: `c${step}`,
				payload: { name: "out", blob },
			},
		]);
		if (step % 4 === 0) await sleep(random() * 40);
	}
}

const writing = writeAll();
let isWritten = false;
void writing.then(() => {
	isWritten = true;
});
for (;;) {
	const wasWritten = isWritten;
	// Now and then two at once: whatever one ships, the other must not ship again.
	const shipped = await Promise.all(random() < 0.2 ? [shipOnce(), shipOnce()] : [shipOnce()]);
	if (wasWritten && shipped.every(Boolean)) break;
	await sleep(random() * 60);
}
machine.log.close();
readFileSync(acknowledged);
process.exit(0);
