import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import type { Engine } from "../../../engine.ts";
import { fleetKey } from "../../../fleet/chain.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { checkVersion } from "../../../fleet/migrate.ts";
import { type FleetPlace, fleetPlace, shippedName } from "../../../fleet/place.ts";
import { previewSync } from "../../../fleet/preview.ts";
import { separateLog } from "../../../fleet/stream.ts";
import { type Synced, syncProject } from "../../../fleet/sync.ts";
import { renderPreview } from "../../../fleet/view/fleet-view.ts";
import { pauseAfter, readCheckpoint, writeCheckpoint } from "../../../log/shipping-checkpoint.ts";
import { showAddress } from "../../../settings/fleet-address.ts";
import type { Call, CheckCall } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Output } from "../output.ts";

/** Between two looks at the log. */
const LOOK_EVERY_MS = 500;

export function check({ options }: CheckCall<"sync">): void {
	if (options.dryRun && (options.follow || options.apart)) {
		throw new EngineError("usage", "--dry-run shows what would leave now. It goes with neither --follow nor --apart.");
	}
}

export async function run({ context, out, options }: Call<"sync">): Promise<void> {
	const engine = options.background ? context.openForWriting() : context.openExisting();
	try {
		const place = fleetPlace(engine, context.env);
		if (options.background) await inBackground(engine, place);
		else if (options.dryRun) await showPreview(out, engine, place);
		else if (options.follow) await untilInterrupted((signal) => follow(out, engine, place, signal));
		else {
			if (options.apart) await goApart(out, engine, place);
			await once(out, engine, place);
		}
	} finally {
		engine.close();
	}
}

async function goApart(out: Output, engine: Engine, place: FleetPlace): Promise<void> {
	await using connection = await connectFleet(place.address, { onWait: (sentence) => out.talk(sentence) });
	await checkVersion(connection);
	const own = { log: engine.log, project: await shippedName(engine), key: fleetKey(place.home) };
	const seq = await separateLog(connection, own);
	writeCheckpoint(engine.log, place.target, { seq, n: 0, at: 0 });
	out.talk(`From event ${seq + 1} on, this is a separate log in the fleet.`);
}

async function showPreview(out: Output, engine: Engine, place: FleetPlace): Promise<void> {
	const preview = await previewSync(engine, place);
	if (out.json) await out.document(preview);
	else await out.lines(renderPreview(preview, out));
}

async function once(out: Output, engine: Engine, place: FleetPlace): Promise<void> {
	const synced = await syncProject(engine, place, { onWait: (sentence) => out.talk(sentence) });
	if (!synced) throw new EngineError("locked", "Another process is shipping this log right now.");
	await report(out, place, synced);
}

/** For agents, which do not wait: the failure is recorded beside the log, and not printed. */
async function inBackground(engine: Engine, place: FleetPlace): Promise<void> {
	try {
		await syncProject(engine, place);
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
	}
}

async function follow(out: Output, engine: Engine, place: FleetPlace, signal: AbortSignal): Promise<void> {
	let [seen, reported] = [-1, ""];
	while (!signal.aborted) {
		const newest = engine.log.newestSeq();
		if (newest !== seen) {
			try {
				const synced = await syncProject(engine, place, { signal, onWait: (sentence) => out.talk(sentence) });
				if (synced && (synced.events > 0 || seen === -1)) await report(out, place, synced);
				if (synced) [seen, reported] = [newest, ""];
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				if (error.message !== reported) out.talk(`${error.message} weft tries again.`);
				reported = error.message;
				const pause = pauseAfter(readCheckpoint(engine.log, place.target));
				await sleep(pause, undefined, { signal }).catch(() => {});
			}
		}
		await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
	}
}

async function report(out: Output, place: FleetPlace, synced: Synced): Promise<void> {
	const server = showAddress(place.address);
	if (out.json) return out.document({ server, ...synced });
	const { events, masked, excluded, blobs, failures, project, total } = synced;
	const parts = [
		...(masked > 0 ? [`${plural(masked, "event")} masked`] : []),
		...(excluded > 0 ? [`${plural(excluded, "event")} stayed here`] : []),
		...(blobs > 0 ? [plural(blobs, "blob")] : []),
		...(failures > 0 ? [plural(failures, "failure")] : []),
	];
	const more = parts.length > 0 ? ` (${parts.join(", ")})` : "";
	await out.line(
		`${plural(events, "event")} of ${project} shipped to ${server}${more}; it has ${plural(total, "event")} of this log`,
	);
}
