/**
 * What weft would have saved in one session. A replay takes about a second for a hundred requests, so the answer is kept in the
 * log's own notes until the session, the settings or weft change.
 */
import { ownVersion } from "../base/file/package-file.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { parseObject } from "../base/json/read.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import type { Engine } from "../engine.ts";
import type { SessionState } from "../state/session/session-state.ts";
import type { SavingHour, SessionSaving } from "../view/saving.ts";
import { openSession } from "./recording.ts";
import { type ReplayOptions, replaySession } from "./report.ts";

/** Raise it when the same replay gives another answer. */
const VERSION = 2;
const HOUR_MS = 3_600_000;

/** A replay with the settings that hold in a project. */
export function replayOptions(settings: Engine["settings"]): ReplayOptions {
	const { leafChunkTokens, condensationThreshold, maxDepth, warpPer, maxSummaryTokens, sealShare } = settings;
	return {
		profile: settings.profile,
		seal: settings.seal,
		sealShare,
		warpPer,
		maxSummaryTokens,
		summaries: { leafChunkTokens, condensationThreshold, maxDepth },
		prices: readPriceList(settings.prices),
	};
}

/** From an earlier replay of the same session; undefined: there is none. */
export function knownSaving(engine: Engine, of: SessionState): SessionSaving | null | undefined {
	const known = parseObject(engine.log.meta(noteOf(of)));
	return known?.["key"] === keyOf(engine, of) ? (known["saving"] as SessionSaving | null) : undefined;
}

/** Null: the session cost nothing that could be compared. */
export async function replaySaving(
	engine: Engine,
	of: SessionState,
	onProgress?: ReplayOptions["onProgress"],
): Promise<SessionSaving | null> {
	const saving = await measure(engine, of, onProgress);
	if (!engine.log.readOnly) engine.log.setMeta(noteOf(of), JSON.stringify({ key: keyOf(engine, of), saving }));
	return saving;
}

async function measure(
	engine: Engine,
	of: SessionState,
	onProgress: ReplayOptions["onProgress"],
): Promise<SessionSaving | null> {
	const recording = openSession(engine.history, { session: of.session, host: of.host });
	const options = { ...replayOptions(engine.settings), rows: ["woven", "host"] as const, onProgress };
	const { modes, prices, billed } = await replaySession(recording, options);
	const { woven, host } = modes;
	if (!woven || !host || host.costDollars <= 0 || billed.costDollars <= 0) return null;
	const units = ({ perRequest }: typeof host) =>
		perRequest.reduce((sum, { units, outputUnits }) => sum + units + outputUnits, 0);
	const scale = billed.costDollars / units(host);
	const hours = recording.calls.map(({ answer }, at): SavingHour => {
		const [alone, with_] = [host.perRequest[at], woven.perRequest[at]];
		return {
			at: Math.floor(answer.ts / HOUR_MS) * HOUR_MS,
			paid: alone ? (alone.units + alone.outputUnits) * scale : 0,
			weft: with_ ? (with_.units + with_.outputUnits) * scale : 0,
			seals: with_?.broke?.startsWith("sealed") ? 1 : 0,
			compactions: alone?.broke?.includes("compacted") ? 1 : 0,
		};
	});
	return {
		session: of.session,
		agent: of.host,
		project: engine.project.root,
		read: prices.read,
		estimated: billed.estimated,
		assumed: billed.assumed,
		edits: { of: woven.support.edits[1], weft: woven.support.edits[0], host: host.support.edits[0] },
		hours: [...Map.groupBy(hours, ({ at }) => at)].map(([at, own]) => ({
			at,
			paid: sumOf(own, "paid"),
			weft: sumOf(own, "weft"),
			seals: sumOf(own, "seals"),
			compactions: sumOf(own, "compactions"),
		})),
	};
}

function sumOf(hours: readonly SavingHour[], key: Exclude<keyof SavingHour, "at">): number {
	return hours.reduce((sum, each) => sum + each[key], 0);
}

function noteOf({ host, session }: SessionState): string {
	return `saving ${host} ${session}`;
}

function keyOf({ settings }: Engine, { last_seq }: SessionState): string {
	return sha256(JSON.stringify([VERSION, ownVersion(), last_seq, replayOptions(settings)]));
}
