/**
 * Answers one question per line of standard input until it ends; for agents. Keeps one connection and reconnects when it breaks.
 * While the server is away, the answer is empty and immediate: it is not asked again for a while.
 */
import { createInterface } from "node:readline";
import { asList, asText, parseObject } from "../../../base/json/read.ts";
import { connectFleet, type FleetConnection } from "../../../fleet/connection.ts";
import { lookUpResolved, type ResolvedThere } from "../../../fleet/failures.ts";
import { fleetPlace, projectName } from "../../../fleet/place.ts";
import { streamName } from "../../../fleet/stream.ts";
import type { Call } from "../frame.ts";

const LIMITS = { connectMs: 3_000, statementMs: 2_000 } as const;
const AWAY_MS = 15_000;

export async function run({ context }: Call<"fleet answer">): Promise<void> {
	const engine = context.openForWriting();
	const place = fleetPlace(engine, context.env);
	const [project, besides] = [await projectName(engine), streamName(engine.log)];
	engine.close();
	if (project === undefined) return;
	let connection: Promise<FleetConnection> | undefined;
	let awayUntil = 0;
	const connect = () => {
		connection ??= connectFleet(place.address, LIMITS).then((made) => {
			made.onLost(() => {
				connection = undefined;
			});
			return made;
		});
		return connection;
	};
	const ask = async (hashes: readonly string[]): Promise<readonly ResolvedThere[]> => {
		if (context.now() < awayUntil) return [];
		try {
			return await lookUpResolved(await connect(), { project, hashes, besides });
		} catch {
			const broken = connection;
			connection = undefined;
			awayUntil = context.now() + AWAY_MS;
			void broken?.then((made) => made.close()).catch(() => {});
			return [];
		}
	};
	void ask([]);
	for await (const line of createInterface({ input: process.stdin })) {
		const asked = parseObject(line);
		if (!asked) continue;
		const found = await ask(asList(asked["hashes"]).flatMap((hash) => asText(hash) ?? []));
		await context.out.text(`${JSON.stringify({ id: asked["id"], found })}\n`);
	}
	await connection?.then((made) => made.close()).catch(() => {});
}
