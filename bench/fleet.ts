/**
 * A fleet compared with its raw limits, on its own PostgreSQL on loopback: shipping with a bare COPY of the same rows, search
 * with the bare ranked query, an append with a server that is away with one without a server, and the memory of catching up.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Machine } from "../e2e/fleet/machine.ts";
import { TestServer } from "../e2e/fleet/server.ts";
import { FleetShipping } from "../src/agent/live/fleet-shipping.ts";
import { formatBytes, formatCount } from "../src/base/text/bytes.ts";
import { openEngine } from "../src/engine.ts";
import type { FleetConnection } from "../src/fleet/connection.ts";
import { grepFleet } from "../src/fleet/grep.ts";
import { writeFailure } from "../src/log/shipping-checkpoint.ts";
import { readAddress, targetKey } from "../src/settings/fleet-address.ts";
import { searchable } from "../src/state/session/searchable.ts";
import { MessageSource } from "./corpus.ts";
import { itemAt, median, medianRatio, micros, type Ratio } from "./measure.ts";

const SHIPPED_EVENTS = 10_000;
const CATCH_UP_EVENTS = 100_000;
const SEARCHED_EVENTS = 1_000_000;
const ROUNDS = 3;
const PROJECT = "github.com/acme/bench";

export interface FleetBenchOptions {
	readonly events?: number | undefined;
	onProgress(what: string): void;
}

export async function runFleetBench({
	events,
	onProgress,
}: FleetBenchOptions): Promise<{ readonly ratios: readonly Ratio[] }> {
	const server = await TestServer.start();
	try {
		await server.fleet("bench", { ann: "red" });
		await using ann = await server.connect("ann", "bench");
		await using admin = await server.connect("postgres", "bench");
		onProgress("shipping beside a bare COPY");
		const shipping = await besideCopy(server, ann, admin);
		onProgress(`catching up with ${formatCount(CATCH_UP_EVENTS)} events`);
		const memory = await catchUp(ann);
		onProgress(`searching ${formatCount(events ?? SEARCHED_EVENTS)} events`);
		const search = await besideQuery(ann, admin, events ?? SEARCHED_EVENTS);
		onProgress("appending while the server is away");
		return { ratios: [...shipping, search, besideAppend(), memory] };
	} finally {
		server.stop();
	}
}

function fill(machine: Machine, count: number): void {
	const source = new MessageSource(7);
	for (let at = 0; at < count; at += 500) {
		machine.log.append(
			Array.from({ length: Math.min(500, count - at) }, (_, nth) => {
				const text = source.text();
				const raw = JSON.stringify({
					type: "message",
					id: `e${at + nth}`,
					message: { role: "user", content: [{ type: "text", text }] },
				});
				return {
					type: "Message",
					session: "s",
					host: "pi",
					ts: at + nth,
					entry: `e${at + nth}`,
					raw,
					payload: { role: "user", form: "pi" },
				} as const;
			}),
			{ packed: true },
		);
	}
}

/**
 * The same rows, ready made as text, in one COPY: into a table with the same parts, keys and indexes, which is the bound; and into
 * one without any index, as a second figure.
 */
async function besideCopy(server: TestServer, ann: FleetConnection, admin: FleetConnection): Promise<Ratio[]> {
	using machine = new Machine("bench");
	fill(machine, SHIPPED_EVENTS);
	await admin.query("CREATE TABLE weft.heap (LIKE weft.event)");
	await admin.query("CREATE TABLE weft.bare (LIKE weft.event INCLUDING ALL) PARTITION BY HASH (project)");
	for (let part = 0; part < 8; part++) {
		await admin.query(
			`CREATE TABLE weft.bare_${part} PARTITION OF weft.bare FOR VALUES WITH (MODULUS 8, REMAINDER ${part})`,
		);
	}
	await machine.ship(ann, PROJECT, machine.exact());
	const file = join(server.folder, "rows");
	await admin.query(`COPY (SELECT * FROM weft.event ORDER BY n) TO '${file}'`);
	const times = { heap: [] as number[], copy: [] as number[], exact: [] as number[], masked: [] as number[] };
	for (let round = 0; round <= ROUNDS; round++) {
		for (const kind of ["heap", "copy", "exact", "masked"] as const) {
			await admin.query("TRUNCATE weft.heap, weft.bare, weft.event, weft.session, weft.stream");
			await admin.query("CHECKPOINT");
			const start = performance.now();
			if (kind === "heap") await admin.query(`COPY weft.heap FROM '${file}'`);
			else if (kind === "copy") await admin.query(`COPY weft.bare FROM '${file}'`);
			else await machine.ship(ann, PROJECT, kind === "exact" ? machine.exact() : {});
			if (round > 0) times[kind].push(performance.now() - start);
		}
	}
	const copyMs = median(times.copy);
	return (["exact", "masked"] as const).map((kind) => {
		const ratio = median(times[kind].map((ms, at) => ms / itemAt(times.copy, at)));
		const perSecond = (ms: number) => formatCount(Math.round((SHIPPED_EVENTS * 1_000) / ms));
		const withoutIndex = median(times[kind].map((ms, at) => ms / itemAt(times.heap, at))).toFixed(1);
		const detail = `${perSecond(median(times[kind]))} events/s, COPY ${perSecond(copyMs)}; ${withoutIndex} of one without indexes`;
		return { name: `shipping, ${kind}`, beside: "a bare COPY, same indexes", ratio, bound: 2, detail };
	});
}

/** Memory must not grow while it catches up. */
async function catchUp(ann: FleetConnection): Promise<Ratio> {
	using machine = new Machine("behind");
	fill(machine, CATCH_UP_EVENTS);
	const heap: number[] = [];
	await machine.ship(ann, `${PROJECT}-behind`, {
		...machine.exact(),
		onBatch: () => heap.push(process.memoryUsage().rss),
	});
	const quarter = Math.floor(heap.length / 4);
	const [early, late] = [Math.max(...heap.slice(0, quarter)), Math.max(...heap.slice(-quarter))];
	const detail = `${formatBytes(early)} after a quarter, ${formatBytes(late)} at the end`;
	return { name: "memory of catching up", beside: "its first quarter", ratio: late / early, bound: 1.5, detail };
}

async function besideQuery(ann: FleetConnection, admin: FleetConnection, events: number): Promise<Ratio> {
	const project = `${PROJECT}-search`;
	const log = "00000000-0000-7000-8000-000000000000";
	await admin.query("ALTER TABLE weft.event DISABLE TRIGGER ALL");
	await admin.query(
		"INSERT INTO weft.stream (team, project, log, origin, machine, person, role, n) VALUES ('red', $1, $2, 'o', 'm', 'p', 'ann', $3)",
		[project, log, events],
	);
	for (let at = 0; at < events; at += 100_000) {
		await admin.query(
			`INSERT INTO weft.event (team, project, log, n, seq, id, session, host, ts, type, v, payload, proof, hash, handle, role, words)
			SELECT 'red', $1, $2, n, n, gen_random_uuid(), 's' || n % 1000, 'pi', n, 'Message', 1,
				json_build_object('role', 'user', 'form', 'pi', 'raw', json_build_object('type', 'message', 'message', json_build_object('role', 'user', 'content', t)))::text,
				'\\x00', '\\x00', 'm-' || n, 'user', to_tsvector('simple', t)
			FROM (SELECT n, 'step word' || n % 50000 || ' token' || n % 997 || ' common text about the parser and file' || n % 211 AS t
				FROM generate_series($3::bigint, $4::bigint) n) x`,
			[project, log, at + 1, Math.min(events, at + 100_000)],
		);
	}
	await admin.query("ALTER TABLE weft.event ENABLE TRIGGER ALL");
	await admin.query("VACUUM ANALYZE weft.event");
	// As the owner, whom row security does not slow down.
	const bare = (word: string) =>
		admin.query(
			"SELECT n FROM weft.event, (SELECT $2::tsquery AS q) x WHERE project = $1 AND words @@ q ORDER BY ts_rank(words, q) DESC LIMIT 20",
			[project, word],
		);
	const pairs: { readonly ours: number; readonly other: number }[] = [];
	for (let round = 0; round <= ROUNDS * 6; round++) {
		const word = `token${(round * 37) % 997}`;
		let start = performance.now();
		await bare(word);
		const other = performance.now() - start;
		start = performance.now();
		const { hits } = await grepFleet(ann, { project, text: word }, searchable);
		if (hits.length !== 20) throw new Error(`${hits.length} hits`);
		if (round > 0) pairs.push({ ours: performance.now() - start, other });
	}
	const [ours, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.other))];
	const detail = `${micros(ours)}, ${micros(other)} bare`;
	return {
		name: "fleet grep, less 5 ms",
		beside: "the bare ranked query",
		ratio: Math.max(0, ours - 5) / other,
		bound: 2,
		detail,
	};
}

/** With a server that is away, an append and the end of a turn. */
function besideAppend(): Ratio {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-fleet-"));
	const url = "postgres://ann@127.0.0.1:1/fleet";
	const open = (name: string, env: NodeJS.ProcessEnv) =>
		openEngine({ cwd: folder, host: "pi", session: "s", home: join(folder, name), env: { HOME: folder, ...env } });
	const [away, without] = [open("away", { WEFT_FLEET_URL: url }), open("without", {})];
	writeFailure(away.log, targetKey(readAddress(url, {})), "away", Date.now());
	for (let times = 0; times < 10; times++) writeFailure(away.log, targetKey(readAddress(url, {})), "away", Date.now());
	const shipping = FleetShipping.of(away)!;
	const event = { type: "Custom", payload: { name: "n", data: "x".repeat(400) } } as const;
	const { ratio, oursMs, otherMs } = medianRatio(
		400,
		() => {
			away.record([event]);
			shipping.turnEnded();
		},
		() => without.record([event]),
	);
	for (const engine of [away, without]) engine.close();
	rmSync(folder, { recursive: true, force: true });
	return {
		name: "append, server away",
		beside: "an append without a fleet",
		ratio,
		bound: 1.15,
		detail: `${micros(oursMs)}, ${micros(otherMs)} without`,
	};
}
