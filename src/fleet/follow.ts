/**
 * A fleet's events as they arrive: the newest first, then new ones. The server notifies of arrivals; behind a pooler that does
 * not pass notifications on, it is polled every few seconds, with a notice. After a restart of the server it continues from
 * the last seen event.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../base/error/engine-error.ts";
import type { FleetConnection } from "./connection.ts";
import { type FleetQuery, type FleetRecord, readFleet, readNewest } from "./read-events.ts";

const POLL_EVERY_MS = 3_000;
/** Even with notifications, because one may be lost. */
const POLL_ANYWAY_EVERY_MS = 15_000;

const MAX_NOTIFICATION_MS = 1_000;

export interface FleetFollowOptions {
	readonly signal: AbortSignal;
	readonly notify: (line: string) => void;
	readonly askEveryMs?: number | undefined;
	/** Reconnects after a break; without it a break ends the stream. */
	readonly connectAgain?: (() => Promise<FleetConnection>) | undefined;
}

export async function* followFleet(
	given: FleetConnection,
	query: FleetQuery,
	{ signal, notify, askEveryMs = POLL_EVERY_MS, connectAgain }: FleetFollowOptions,
): AsyncGenerator<FleetRecord[]> {
	let connection = given;
	let bell = new ServerBell(connection);
	let isPolling = false;
	const startPolling = () => {
		if (!isPolling)
			notify(
				`The server sends no notifications, probably because of a pooler. weft asks it every ${askEveryMs / 1_000} s.`,
			);
		isPolling = true;
	};
	if (!(await listen(connection))) startPolling();
	const seen = await readHeads(connection, query);
	const first = await readNewest(connection, query);
	if (first.length > 0) yield first;
	try {
		while (!signal.aborted) {
			bell.reset();
			const news = await readNews(connection, query, seen).catch((error: unknown) => {
				if (!connectAgain || !isAway(error)) throw error;
			});
			if (!news) {
				notify(`The server is away. weft tries it every ${askEveryMs / 1_000} s until it is back.`);
				const made = connectAgain && (await connectUntil(connectAgain, askEveryMs, signal));
				if (!made) return;
				if (connection !== given) await connection.close().catch(() => {});
				connection = made;
				bell = new ServerBell(made);
				await listen(made);
				continue;
			}
			// Events without a notification: a pooler may accept LISTEN and pass nothing on.
			if (news.length > 0 && !bell.isHeard && !isPolling && !(await bell.rings(MAX_NOTIFICATION_MS, signal)))
				startPolling();
			yield* news;
			if (bell.isRinging || signal.aborted) continue;
			// Until the first notification it is unknown whether any will come.
			await bell.rings(bell.isHeard ? POLL_ANYWAY_EVERY_MS : askEveryMs, signal);
		}
	} finally {
		if (connection !== given) await connection.close().catch(() => {});
	}
}

/** New events, log by log. They count as seen when all of them were read. */
async function readNews(
	connection: FleetConnection,
	query: FleetQuery,
	seen: Map<string, SeenHead>,
): Promise<FleetRecord[][]> {
	const now = await readHeads(connection, query);
	const { limit: _, ...rest } = query;
	const news: FleetRecord[][] = [];
	for (const [name, head] of now) {
		const before = seen.get(name) ?? { ...head, n: 0, seq: 0 };
		if (head.n <= before.n) continue;
		const fresh: FleetRecord[] = [];
		const range = { project: head.project, log: head.log, after: before.seq, upTo: head.seq };
		for await (const record of readFleet(connection, { ...rest, ...range })) fresh.push(record);
		if (fresh.length > 0) news.push(fresh);
	}
	for (const [name, head] of now) seen.set(name, head);
	return news;
}

function isAway(error: unknown): boolean {
	return error instanceof EngineError && error.code === "io-error";
}

/** Undefined: the signal aborted first. */
async function connectUntil(
	connect: () => Promise<FleetConnection>,
	everyMs: number,
	signal: AbortSignal,
): Promise<FleetConnection | undefined> {
	while (!signal.aborted) {
		await sleep(everyMs, undefined, { signal }).catch(() => {});
		if (signal.aborted) return undefined;
		try {
			return await connect();
		} catch (error) {
			if (!isAway(error)) throw error;
		}
	}
	return undefined;
}

/** The server's notifications of arrivals. */
class ServerBell {
	/** True: it rang while no query ran. A pooler may pass a notification on only with the answer to a query. */
	isHeard = false;
	isRinging = false;
	#isWaiting = false;
	#wake: () => void = () => {};

	constructor(connection: FleetConnection) {
		connection.on("notification", () => {
			if (this.#isWaiting) this.isHeard = true;
			this.isRinging = true;
			this.#wake();
		});
		// No more notifications will come: wakes the waiter, whose next query finds out.
		connection.onLost(() => {
			this.isRinging = true;
			this.#wake();
		});
	}

	reset(): void {
		this.isRinging = false;
	}

	/** Waits for it, at most this long. */
	async rings(ms: number, signal: AbortSignal): Promise<boolean> {
		if (this.isRinging) return true;
		const rung = new Promise<void>((resolve) => {
			this.#wake = resolve;
		});
		this.#isWaiting = true;
		await Promise.race([rung, sleep(ms, undefined, { signal }).catch(() => {})]);
		this.#isWaiting = false;
		return this.isRinging;
	}
}

async function listen(connection: FleetConnection): Promise<boolean> {
	try {
		await connection.query("LISTEN weft");
		return true;
	} catch {
		return false;
	}
}

interface SeenHead {
	readonly log: string;
	readonly project: string;
	readonly n: number;
	readonly seq: number;
}

async function readHeads(connection: FleetConnection, { project }: FleetQuery): Promise<Map<string, SeenHead>> {
	const { rows } = await connection.query<{ log: string; project: string; n: string; seq: string }>(
		// A log with a greater seq was begun before the server refused one. JavaScript would ask for another number.
		`SELECT log::text AS log, project, n, seq FROM weft.stream
		WHERE ($1::text IS NULL OR project = $1) AND seq <= ${Number.MAX_SAFE_INTEGER}`,
		[project],
	);
	// By project and log: a renamed project has one log under two names.
	return new Map(
		rows.map(({ log, project: name, n, seq }) => [
			`${name} ${log}`,
			{ log, project: name, n: Number(n), seq: Number(seq) },
		]),
	);
}
