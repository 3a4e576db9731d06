/** Checks weft's health and says how to fix problems. Looks at files and the database; changes nothing. */

import {
	accessSync,
	constants,
	existsSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	type Stats,
	statfsSync,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../base/error/engine-error.ts";
import { errorText } from "../base/error/error-text.ts";
import { refuseNewer, schemaVersion } from "../base/sqlite/migrate.ts";
import { openDatabase } from "../base/sqlite/open.ts";
import { translateSqliteError } from "../base/sqlite/sqlite-error.ts";
import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { renderTable } from "../base/text/table.ts";
import type { EventRecord } from "../log/event/types.ts";
import { Log } from "../log/log.ts";
import { APPLICATION_ID, MIGRATIONS } from "../log/store/schema.ts";
import { splitPassword } from "../settings/fleet-address.ts";
import type { ResolvedSettings } from "../settings/resolve.ts";
import { checkActivity } from "./agent-activity.ts";
import { configuredFleet, fleetSentence } from "./fleet-state.ts";
import { checkOpenClaw } from "./openclaw-use.ts";
import type { TextStyle } from "./text-style.ts";

export interface HealthCheck {
	readonly name: string;
	readonly level: "ok" | "warn" | "fail";
	readonly says: string;
	/** How to fix it, if it is not ok. */
	readonly todo?: string | undefined;
}

/** The JSON of `weft doctor`. */
export interface Health {
	readonly ok: boolean;
	readonly checks: readonly HealthCheck[];
}

export interface HealthInput {
	/** weft's own version. */
	readonly version: string;
	/** Why this version of Node does not work; undefined: it does. */
	readonly nodeProblem: string | undefined;
	readonly settings: ResolvedSettings;
	readonly project: string;
	readonly home: string;
	/** Need not exist. */
	readonly logPath: string;
	/** ms since the epoch. */
	readonly now: number;
}

const MARKS = { ok: "✓", warn: "!", fail: "✗" } as const;
const COLORS = { ok: "green", warn: "yellow", fail: "red" } as const;
const MAX_EVENTS = 100_000;
const WAL_WARN_BYTES = 64_000_000;
const FREE_WARN_BYTES = 1_000_000_000;
const FREE_FAIL_BYTES = 50_000_000;

export function readHealth(input: HealthInput): Health {
	const { version, nodeProblem, settings, project, home, logPath, now } = input;
	const checks: HealthCheck[] = [
		{ name: "weft", level: "ok", says: version },
		{ name: "node", level: nodeProblem ? "fail" : "ok", says: process.versions.node, todo: nodeProblem },
		sqliteCheck(),
		settingsCheck(settings),
		{ name: "project", level: "ok", says: project },
		...checkData(home, logPath),
		...checkHosts(logPath, now),
		...checkFleet(logPath, settings, now),
		...checkPassword(settings),
	];
	return { ok: checks.every(({ level }) => level !== "fail"), checks };
}

export function* renderHealth({ checks }: Health, style: TextStyle): Generator<string> {
	const rows = checks.map(({ name, level, says }) => [MARKS[level], name, says]);
	const lines = renderTable([{ title: "" }, { title: "" }, { title: "" }], rows, { style: "bare" });
	for (const [at, { level, todo }] of checks.entries()) {
		const line = lines[at] ?? "";
		yield style.paint(COLORS[level], line.slice(0, 1)) + line.slice(1);
		if (todo) yield `   → ${todo}`;
	}
}

function sqliteCheck(): HealthCheck {
	const db = new DatabaseSync(":memory:");
	try {
		const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
		try {
			db.exec("CREATE VIRTUAL TABLE probe USING fts5 (text)");
			return { name: "sqlite", level: "ok", says: `${version}, with full text search` };
		} catch {
			const todo = "search still works, by scanning; Node's own builds have FTS5";
			return { name: "sqlite", level: "warn", says: `${version}, without full text search`, todo };
		}
	} finally {
		db.close();
	}
}

function settingsCheck({ settings, origins, problems }: ResolvedSettings): HealthCheck {
	const [first, ...rest] = problems;
	if (first) {
		const says = first.message + (rest.length > 0 ? ` (and ${rest.length} more)` : "");
		return { name: "settings", level: "fail", says, todo: "'weft config --origin' shows where each value comes from" };
	}
	if (settings.enabled) return { name: "settings", level: "ok", says: "no problems" };
	const says = `weft is turned off by ${origins.enabled}`;
	return { name: "settings", level: "warn", says, todo: "set enabled to true there to record again" };
}

/** Checks the agents that write this log. An unreadable log is reported by another check. */
function checkHosts(logPath: string, now: number): HealthCheck[] {
	if (!statSync(logPath, { throwIfNoEntry: false })) return [];
	let log: Log | undefined;
	try {
		log = new Log({ folder: dirname(logPath), origin: "", readOnly: true });
		return [...checkActivity(log, now), ...[checkOpenClaw(log, now) ?? []].flat()];
	} catch {
		return [];
	} finally {
		log?.close();
	}
}

/** An address with a password in a file of settings: earlier versions wrote it there. */
function checkPassword({ settings, origins }: ResolvedSettings): HealthCheck[] {
	const [url, origin] = [settings["fleet.url"], origins["fleet.url"]];
	if (url === null || splitPassword(url).password === undefined) return [];
	const stats = statSync(origin, { throwIfNoEntry: false });
	if (!stats || (stats.mode & 0o077) === 0) return [];
	const says = `${origin} holds the password of fleet.url, and other accounts can read it`;
	const todo =
		"run 'weft config set fleet.url' with the address again: weft then keeps the password in a file of its own";
	return [{ name: "fleet password", level: "warn", says, todo }];
}

/** Checks the shipping to the fleet, from what this machine knows. Asks no server. */
function checkFleet(logPath: string, { settings }: ResolvedSettings, now: number): HealthCheck[] {
	if (settings["fleet.url"] === null || !statSync(logPath, { throwIfNoEntry: false })) return [];
	try {
		using log = new Log({ folder: dirname(logPath), origin: "", readOnly: true });
		const state = configuredFleet(log, settings);
		if (!state) return [];
		const says = fleetSentence(state, now);
		if (!state.failing) return [{ name: "fleet", level: "ok", says }];
		return [
			{ name: "fleet", level: "warn", says, todo: "nothing is lost: weft retries by itself; 'weft sync' tries it now" },
		];
	} catch {
		// Another check reports an unreadable log.
		return [];
	}
}

/** The data home and the log of one project. */
function checkData(home: string, logPath: string): HealthCheck[] {
	const folder = dirname(logPath);
	const dataHome = folderCheck("data home", home);
	// Free space says nothing of a folder that cannot be used.
	const checks = dataHome.level === "fail" ? [dataHome] : [dataHome, diskCheck(home)];
	if (checks.some(({ level }) => level === "fail")) return checks;
	if (!statSync(logPath, { throwIfNoEntry: false })) {
		return [...checks, { name: "log", level: "ok", says: "none for this project yet" }];
	}
	return [...checks, folderCheck("log folder", folder), ...fileChecks(logPath), ...databaseChecks(logPath)];
}

function folderCheck(name: string, path: string): HealthCheck {
	let stats: Stats | undefined;
	try {
		stats = statSync(path, { throwIfNoEntry: false });
	} catch (error) {
		return { name, level: "fail", ...errorFields(translateSqliteError(error, path)) };
	}
	if (!stats) return unmakable(name, path) ?? { name, level: "ok", says: `${path} (does not exist yet)` };
	if (!stats.isDirectory())
		return { name, level: "fail", says: `${path} is not a folder`, todo: "choose another with --home" };
	return unwritable(name, path) ?? privacy(name, path, stats.mode, "700");
}

/** The nearest folder above that exists decides. */
function unmakable(name: string, path: string): HealthCheck | undefined {
	let above = dirname(path);
	while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
	try {
		if (!statSync(above).isDirectory()) throw new Error("not a folder");
		accessSync(above, constants.W_OK | constants.X_OK);
		return undefined;
	} catch {
		const todo = `make ${above} a folder that you can write to, or choose another with --home`;
		return { name, level: "fail", says: `${path} cannot be made: nothing is recorded`, todo };
	}
}

function unwritable(name: string, path: string): HealthCheck | undefined {
	try {
		accessSync(path, constants.W_OK);
		return undefined;
	} catch {
		const todo = `chmod u+w ${path}, or choose another with --home`;
		return { name, level: "fail", says: `${path} is read-only: nothing is recorded`, todo };
	}
}

function fileChecks(logPath: string): HealthCheck[] {
	const { mode, size } = statSync(logPath);
	const wal = statSync(`${logPath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
	const users = processesWith(logPath);
	return [
		unwritable("log file", logPath) ?? privacy("log file", `${logPath}, ${formatBytes(size)}`, mode, "600", logPath),
		wal > WAL_WARN_BYTES
			? {
					name: "wal",
					level: "warn",
					says: formatBytes(wal),
					todo: "an open reader keeps it large; close old agents, then run 'weft log --limit 1'",
				}
			: { name: "wal", level: "ok", says: formatBytes(wal) },
		{
			name: "open in",
			level: "ok",
			says: users === undefined ? "unknown on this system" : users.join(", ") || "no other process",
		},
	];
}

function privacy(name: string, says: string, mode: number, wanted: string, path = says): HealthCheck {
	if (process.platform === "win32" || (mode & 0o077) === 0) return { name, level: "ok", says };
	const actual = (mode & 0o777).toString(8);
	return { name, level: "warn", says: `${says} is open to others (${actual})`, todo: `chmod ${wanted} ${path}` };
}

function databaseChecks(logPath: string): HealthCheck[] {
	let db: DatabaseSync;
	try {
		db = openDatabase(logPath, { readOnly: true, applicationId: APPLICATION_ID });
	} catch (error) {
		return [{ name: "log", level: "fail", ...errorFields(error) }];
	}
	try {
		refuseNewer(db, logPath, MIGRATIONS);
		return [
			{ name: "schema", level: "ok", says: `version ${schemaVersion(db)}` },
			integrityCheck(db),
			eventsCheck(logPath),
			lockCheck(logPath),
		];
	} catch (error) {
		return [{ name: "log", level: "fail", ...errorFields(translateSqliteError(error, logPath)) }];
	} finally {
		db.close();
	}
}

function integrityCheck(db: DatabaseSync): HealthCheck {
	const [first] = db.prepare("PRAGMA quick_check(1)").all() as { quick_check: string }[];
	if (first?.quick_check === "ok")
		return { name: "integrity", level: "ok", says: "quick check passed ('weft verify' checks the whole chain)" };
	const todo =
		"first copy the folder to a safe place; then 'weft repair' restores everything it finds a copy of, and 'weft import' can fill a new log from the agents' own session files";
	return { name: "integrity", level: "fail", says: first?.quick_check ?? "no answer", todo };
}

/** Checks that the newest events are well formed. */
function eventsCheck(logPath: string): HealthCheck {
	using log = new Log({ folder: dirname(logPath), origin: "doctor", readOnly: true });
	let looked = 0;
	const odd: EventRecord[] = [];
	for (const record of log.read({ order: "newest", limit: MAX_EVENTS, everything: true })) {
		looked++;
		if (record.wrong !== undefined) odd.push(record);
	}
	const rest = looked === MAX_EVENTS ? `; checked the newest ${formatCount(MAX_EVENTS)}` : "";
	const [first] = odd;
	if (!first) return { name: "events", level: "ok", says: `all well formed${rest}` };
	const says = `${plural(odd.length, "event")} skipped: event ${first.seq} (${first.type}) ${first.wrong}${rest}`;
	if (log.losses().length === 0) {
		const todo = "nothing is lost, and the rest works without them; 'weft verify' lists them";
		return { name: "events", level: "warn", says, todo };
	}
	return { name: "events", level: "fail", says, todo: "'weft repair' restores everything it finds a copy of" };
}

/** Tries the write lock without waiting for it. */
function lockCheck(logPath: string): HealthCheck {
	let db: DatabaseSync | undefined;
	try {
		db = openDatabase(logPath, { applicationId: APPLICATION_ID });
		db.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
		return { name: "lock", level: "ok", says: "free" };
	} catch (error) {
		const busy = ((error as { errcode?: number }).errcode ?? 0) === 5;
		if (!busy) return { name: "lock", level: "warn", ...errorFields(error) };
		const holders = processesWith(logPath)?.join(", ") || "another process";
		return {
			name: "lock",
			level: "warn",
			says: `held now; open in ${holders}`,
			todo: "normal for a moment; if it stays, end that process",
		};
	} finally {
		db?.close();
	}
}

function diskCheck(home: string): HealthCheck {
	const free = freeBytes(home);
	if (free === undefined) return { name: "disk", level: "warn", says: "free space is unknown" };
	const says = `${formatBytes(free)} free`;
	if (free < FREE_FAIL_BYTES)
		return { name: "disk", level: "fail", says, todo: "free some space, or move the data with --home" };
	if (free < FREE_WARN_BYTES)
		return { name: "disk", level: "warn", says, todo: "'weft prune --vacuum --yes' may help" };
	return { name: "disk", level: "ok", says };
}

function freeBytes(path: string): number | undefined {
	try {
		const { bavail, bsize } = statfsSync(path);
		return bavail * bsize;
	} catch {
		return dirname(path) === path ? undefined : freeBytes(dirname(path));
	}
}

function errorFields(error: unknown): { says: string; todo: string } {
	const message = errorText(error);
	const [says = message, ...rest] = error instanceof EngineError ? message.split(/(?<=\.)\s+/) : [message];
	// The doctor is who speaks here.
	const todo = rest.join(" ").replace("run 'weft doctor'", "run 'weft repair'");
	return { says, todo: todo || "see the message" };
}

/** This user's other processes that have a file open, as `name (pid)`; undefined where the system does not say. */
function processesWith(path: string): string[] | undefined {
	try {
		const target = realpathSync(path);
		return readdirSync("/proc")
			.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && hasOpen(name, target))
			.map((pid) => `${commandName(pid)} (${pid})`);
	} catch {
		return undefined;
	}
}

function hasOpen(pid: string, target: string): boolean {
	try {
		return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === target);
	} catch {
		// Another user's process, or one that has just ended.
		return false;
	}
}

function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

function commandName(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
	} catch {
		return "process";
	}
}
