/**
 * A fleet's events as they arrive: the newest that are there, then what comes. The server says that there is something;
 * where a pooler does not pass that on, it is asked every few seconds, and that is said.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FleetConnection } from "./connect.ts";
import { type FleetQuery, type FleetRecord, readFleet, readNewest } from "./read.ts";

const ASK_EVERY_MS = 3_000;
/** Even where the server speaks: what it said may have been lost. */
const LOOK_ANYWAY_MS = 15_000;

const HEARD_WITHIN_MS = 1_000;

export interface FollowOptions {
	readonly signal: AbortSignal;
	readonly tell: (line: string) => void;
	readonly askEveryMs?: number | undefined;
}

export async function* followFleet(
	connection: FleetConnection,
	query: FleetQuery,
	{ signal, tell, askEveryMs = ASK_EVERY_MS }: FollowOptions,
): AsyncGenerator<FleetRecord[]> {
	const bell = new Bell(connection);
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
	while (!signal.aborted) {
		bell.reset();
		const now = await readHeads(connection, query);
		const news: FleetRecord[][] = [];
		for (const [name, head] of now) {
			const before = seen.get(name) ?? { ...head, n: 0, seq: 0 };
			if (head.n <= before.n) continue;
			const fresh: FleetRecord[] = [];
			const { limit: _, ...rest } = query;
			const range = { project: head.project, log: head.log, after: before.seq, upTo: head.seq };
			for await (const record of readFleet(connection, { ...rest, ...range })) fresh.push(record);
			seen.set(name, head);
			if (fresh.length > 0) news.push(fresh);
		}
		// Something came, and nothing was heard of it: a pooler may take LISTEN and pass nothing on.
		if (news.length > 0 && !bell.isHeard && !isTold && !(await bell.rings(HEARD_WITHIN_MS, signal))) tellOnce();
		yield* news;
		if (bell.isRinging || signal.aborted) continue;
		// Until it was heard once nobody knows whether it will be.
		await bell.rings(bell.isHeard ? LOOK_ANYWAY_MS : askEveryMs, signal);
	}
}

/** What the server says by itself: that there is something. */
class Bell {
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

interface StreamHead {
	readonly log: string;
	readonly project: string;
	readonly n: number;
	readonly seq: number;
}

async function readHeads(connection: FleetConnection, { project }: FleetQuery): Promise<Map<string, StreamHead>> {
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
