/** Views of a fleet for people: data first, then lines. */

import { formatBytes, formatCount, plural } from "../../base/text/bytes.ts";
import { cutToWidth } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";
import { formatTime, shortAge } from "../../base/text/time.ts";
import type { FleetState } from "../../view/fleet-state.ts";
import { shortSession } from "../../view/short-session.ts";
import { renderPairs, renderRuled, type TextStyle } from "../../view/text-style.ts";
import type { FleetFailure } from "../failures.ts";
import { renderPerson, renderShipper, type Shipper } from "../shipper.ts";

export interface FleetPreview {
	/** Its name in the fleet. */
	readonly project: string;
	readonly mask: string;
	readonly events: number;
	readonly bytes: number;
	readonly blobs: number;
	readonly excluded: number;
	readonly masked: number;
	readonly sessions: readonly { readonly session: string; readonly events: number; readonly bytes: number }[];
	readonly examples: readonly MaskedExample[];
}

export interface MaskedExample {
	readonly seq: number;
	readonly type: string;
	readonly session: string;
	/** As it would ship. */
	readonly around: string;
}

const MAX_SESSIONS = 20;

export function* renderPreview(preview: FleetPreview, style: TextStyle): Generator<string> {
	yield* renderPairs(style, [
		["project", preview.project],
		[
			"would leave",
			`${plural(preview.events, "event")}, ${formatBytes(preview.bytes)}, ${plural(preview.blobs, "blob")}`,
		],
		["stays here", `${plural(preview.excluded, "event")} by fleet.exclude`],
		[
			"mask",
			preview.mask === "exact"
				? "none: fleet.mask is exact"
				: `${plural(preview.masked, "event")} had credentials hidden`,
		],
	]);
	if (preview.sessions.length > 0) {
		yield "";
		const columns = [
			{ title: "session" },
			{ title: "events", align: "right" },
			{ title: "size", align: "right" },
		] as const;
		const rows = preview.sessions
			.slice(0, MAX_SESSIONS)
			.map(({ session, events, bytes }) => [oneLine(session), formatCount(events), formatBytes(bytes)]);
		yield* renderRuled(style, columns, rows);
		const more = preview.sessions.length - MAX_SESSIONS;
		if (more > 0) yield `and ${plural(more, "more session")}`;
	}
	if (preview.examples.length > 0) {
		yield "";
		yield "What the mask did, as it would leave:";
		for (const { seq, type, around } of preview.examples) yield `  ${seq} ${type}: …${oneLine(around)}…`;
	}
}

/** The inspector's page. */
export interface FleetPage {
	/** null: no fleet is configured. */
	readonly state: FleetState | null;
	/** null: the server did not answer. */
	readonly overview: FleetOverview | null;
	/** Why the server did not answer. */
	readonly problem: string | null;
}

export interface FleetOverview {
	readonly server: string;
	readonly team: string;
	readonly schema: number;
	/** Of the whole database on the server. */
	readonly bytes: number;
	readonly machines: readonly FleetMachine[];
}

export interface FleetMachine extends Shipper {
	/** As `person`. */
	readonly role: string;
	readonly project: string;
	readonly log: string;
	readonly sessions: number;
	readonly events: number;
	readonly bytes: number;
	/** The last arrival, ms since the epoch; null: none yet. */
	readonly fresh: number | null;
	/** Of this machine's own log: events not shipped yet. */
	readonly behind: number | null;
}

export function* renderOverview(overview: FleetOverview, style: TextStyle, now: number): Generator<string> {
	const { machines } = overview;
	const sum = (of: (machine: FleetMachine) => number) => machines.reduce((total, each) => total + of(each), 0);
	yield* renderPairs(style, [
		["server", `${overview.server}, schema ${overview.schema}, ${formatBytes(overview.bytes)} on its disk`],
		["team", overview.team],
		[
			"holds",
			`${plural(
				sum(({ events }) => events),
				"event",
			)} in ${plural(
				sum(({ sessions }) => sessions),
				"session",
			)} of ${plural(machines.length, "log")}`,
		],
	]);
	if (machines.length === 0) return;
	yield "";
	const columns = [
		{ title: "machine", shrink: true },
		{ title: "person" },
		{ title: "project", shrink: true },
		{ title: "sessions", align: "right" },
		{ title: "events", align: "right" },
		{ title: "size", align: "right" },
		{ title: "fresh" },
		{ title: "lag", align: "right" },
	] as const;
	const rows = machines.map((each) => [
		oneLine(each.machine),
		renderPerson(each),
		oneLine(each.project),
		formatCount(each.sessions),
		formatCount(each.events),
		formatBytes(each.bytes),
		each.fresh === null ? "never" : shortAge(each.fresh, now),
		each.behind === null ? "" : formatCount(each.behind),
	]);
	yield* renderRuled(style, columns, rows);
}

const MAX_MESSAGE_COLUMNS = 100;
/** The server sends one more if there are more. */
const MAX_CHANGES = 20;

export function* renderFailures(failures: readonly FleetFailure[], style: TextStyle): Generator<string> {
	for (const failure of failures) {
		const { hash, unit, message, state, session, attempts } = failure;
		const what = [unit, message].filter((each) => each !== null && each !== "").join(": ");
		yield `${style.paint("cyan", hash)}  ${cutToWidth(oneLine(what), MAX_MESSAGE_COLUMNS)}`;
		const who = `${renderShipper(failure)}, session ${oneLine(shortSession(session))}`;
		const when = `${formatTime(failure.firstTs)} to ${formatTime(failure.lastTs)}`;
		yield `  ${state === "resolved" ? style.paint("green", "resolved") : style.paint("red", "open")} after ${plural(attempts, "red run")}, ${when}, by ${who}`;
		if (failure.changes.length > MAX_CHANGES) yield "    … more changes before these";
		for (const { path, handle, added, removed } of failure.changes.slice(-MAX_CHANGES)) {
			yield `    ${oneLine(path)} +${added}${removed === null ? "" : ` -${removed}`}  weft fleet show ${handle}`;
		}
		const runs = [`red ${failure.red}`, ...(failure.green === null ? [] : [`green ${failure.green}`])];
		yield style.paint("dim", `    ${runs.join(", ")}`);
	}
}
