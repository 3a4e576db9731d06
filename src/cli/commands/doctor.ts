import { DatabaseSync } from "node:sqlite";
import { one } from "../../sqlite/rows.ts";
import { renderTable } from "../../text/table.ts";
import { type Check, checkData } from "../../view/health.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { supportedNode } from "../node-version.ts";
import { weftVersion } from "../version.ts";

const MARKS = { ok: "✓", warn: "!", fail: "✗" } as const;
const COLORS = { ok: "green", warn: "yellow", fail: "red" } as const;

export async function run(context: Context): Promise<ExitCode> {
	const { out } = context;
	const { home, logPath } = context.places();
	const checks: Check[] = [
		{ name: "weft", level: "ok", says: weftVersion() },
		nodeCheck(),
		sqliteCheck(),
		settingsCheck(context),
		{ name: "project", level: "ok", says: context.root },
		...checkData(home, logPath),
	];
	const failed = checks.some(({ level }) => level === "fail");
	if (out.json) await out.document({ ok: !failed, checks });
	else await out.lines(report(context, checks));
	return failed ? EXIT.failed : EXIT.ok;
}

function* report({ out }: Context, checks: readonly Check[]): Generator<string> {
	const rows = checks.map(({ name, level, says }) => [MARKS[level], name, says]);
	const lines = renderTable([{ title: "" }, { title: "" }, { title: "" }], rows, { style: "bare" });
	for (const [at, { level, todo }] of checks.entries()) {
		const line = lines[at] ?? "";
		yield out.paint(COLORS[level], line.slice(0, 1)) + line.slice(1);
		if (todo) yield `   → ${todo}`;
	}
}

function nodeCheck(): Check {
	const problem = supportedNode(process.versions.node);
	return problem
		? { name: "node", level: "fail", says: process.versions.node, todo: problem }
		: { name: "node", level: "ok", says: process.versions.node };
}

function sqliteCheck(): Check {
	const db = new DatabaseSync(":memory:");
	try {
		const { version } = one<{ version: string }>(db.prepare("SELECT sqlite_version() AS version"))!;
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

function settingsCheck(context: Context): Check {
	const { settings, origins, problems } = context.readSettings();
	const [first, ...rest] = problems;
	if (first) {
		const more = rest.length > 0 ? ` (and ${rest.length} more)` : "";
		return {
			name: "settings",
			level: "fail",
			says: first.message + more,
			todo: "'weft config --origin' shows whence each value comes",
		};
	}
	if (!settings.enabled) {
		return {
			name: "settings",
			level: "warn",
			says: `weft is turned off by ${origins.enabled}`,
			todo: "set enabled to true there to record again",
		};
	}
	return { name: "settings", level: "ok", says: "no problems" };
}
