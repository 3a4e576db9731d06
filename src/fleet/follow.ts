/**
 * A fleet's events as they arrive: the newest that are there, then what comes. The server says that there is something;
 * where a pooler does not pass that on, it is asked every few seconds, and that is said. After a restart of the server it goes on
 * from what was seen.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../base/error/engine-error.ts";
import type { FleetConnection } from "./connection.ts";
import { type FleetQuery, type FleetRecord, readFleet, readNewest } from "./read.ts";

const ASK_EVERY_MS = 3_000;
/** Even where the server speaks: what it said may have been lost. */
const LOOK_ANYWAY_MS = 15_000;

const HEARD_WITHIN_MS = 1_000;

export interface FleetFollowOptions {
	readonly signal: AbortSignal;
	readonly tell: (line: string) => void;
	readonly askEveryMs?: number | undefined;
	/** Where a connection that broke is made again; without it, that is the end. */
	readonly connectAgain?: (() => Promise<FleetConnection>) | undefined;
}

export async function* followFleet(
	given: FleetConnection,
	query: FleetQuery,
	{ signal, tell, askEveryMs = ASK_EVERY_MS, connectAgain }: FleetFollowOptions,
): AsyncGenerator<FleetRecord[]> {
	let connection = given;
	let bell = new ServerBell(connection);
	let isTold = false;
	const tellOnce = () => {
		if (!isTold)
			tell(`The server does not tell by itself (a pooler is in between): it is asked every ${askEveryMs / 1_000} s.`);
		isTold = true;
	};
	if (!(await listen(connection))) tellOnce();
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
				tell(`The server went away. It is asked every ${askEveryMs / 1_000} s until it is back.`);
				const made = await connectUntil(connectAgain!, askEveryMs, signal);
				if (!made) return;
				if (connection !== given) await connection.close().catch(() => {});
				connection = made;
				bell = new ServerBell(made);
				await listen(made);
				continue;
			}
			// Something came, and nothing was heard of it: a pooler may take LISTEN and pass nothing on.
			if (news.length > 0 && !bell.isHeard && !isTold && !(await bell.rings(HEARD_WITHIN_MS, signal))) tellOnce();
			yield* news;
			if (bell.isRinging || signal.aborted) continue;
			// Until it was heard once nobody knows whether it will be.
			await bell.rings(bell.isHeard ? LOOK_ANYWAY_MS : askEveryMs, signal);
		}
	} finally {
		if (connection !== given) await connection.close().catch(() => {});
	}
}

/** What came since, log by log. It counts as seen when all of it was read. */
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

/** Undefined: it was stopped before. */
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

/** What the server says by itself: that there is something. */
class ServerBell {
	/** It rang while nobody asked: only then it will do so again. A pooler passes it on with the answer to a question. */
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
		// Nothing more will be heard: whoever waits finds that out by asking.
		connection.onLost(() => {
			this.isRinging = true;
			this.#wake();
		});
	}

	reset(): void {
		this.isRinging = false;
	}

	/** Waits for it, but no longer than this. */
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
		"SELECT log::text AS log, project, n, seq FROM weft.stream WHERE $1::text IS NULL OR project = $1",
		[project],
	);
	// By both: a project that was renamed has one log under two names.
	return new Map(
		rows.map(({ log, project: name, n, seq }) => [
			`${name} ${log}`,
			{ log, project: name, n: Number(n), seq: Number(seq) },
		]),
	);
}
