import { existsSync } from "node:fs";
import { formatBytes, formatCount, plural } from "../../text/bytes.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { formatAgo, formatTime } from "../../text/time.ts";
import { truncateWidth } from "../../text/truncate.ts";
import { shortSession } from "../../view/session.ts";
import { readStatus, type Status } from "../../view/status.ts";
import type { Context } from "../context.ts";

const MOST_SESSIONS = 10;
const MOST_TITLE_COLUMNS = 72;

export async function run(context: Context): Promise<void> {
	const { out } = context;
	context.refuseBadSettings();
	const { home, logPath } = context.places();
	if (!existsSync(logPath)) {
		if (out.json) return out.document({ project: context.root, home, log: null });
		await out.lines([
			`${out.paint("bold", "project")}  ${context.root}`,
			`${out.paint("bold", "data")}     ${home}`,
			"",
			"Nothing has been recorded for this project yet.",
			"  weft import ~/.pi/agent/sessions    reads sessions of Pi",
			"  weft import ~/.claude/projects      reads sessions of Claude Code",
		]);
		return;
	}
	const engine = context.openExisting();
	try {
		const status = readStatus(engine.log);
		if (out.json) return await out.document({ project: engine.project.root, home, log: toJson(status) });
		await out.lines(report(context, engine.project.root, status));
	} finally {
		engine.close();
	}
}

function toJson({ sessions, lastWrite, ...rest }: Status): object {
	return {
		...rest,
		lastWrite,
		sessions: sessions.map((row) => ({
			session: row.session,
			host: row.host,
			title: row.title,
			cwd: row.cwd,
			first: row.first_ts,
			last: row.last_ts,
			events: row.events,
			messages: row.messages,
		})),
	};
}

function* report(context: Context, root: string, status: Status): Generator<string> {
	const { out } = context;
	const now = context.now();
	const { lastWrite, sessions } = status;
	const pairs = [
		["project", root],
		["data", `${status.folder}  (${formatBytes(status.bytes)})`],
		["events", `${formatCount(status.events)} in ${plural(sessions.length, "session")}`],
		[
			"fresh",
			lastWrite
				? `${formatAgo(lastWrite.at, now)}: event ${lastWrite.seq}, ${lastWrite.type}, by ${lastWrite.host}`
				: "empty",
		],
	];
	const bold = (cell: string): string => out.paint("bold", cell);
	yield* renderTable([{ title: "", paint: bold }, { title: "" }], pairs, { style: "bare" });
	if (sessions.length === 0) return;
	yield "";
	const columns = [
		{ title: "session" },
		{ title: "host" },
		{ title: "last event" },
		{ title: "messages", align: "right" },
		{ title: "first request", shrink: true },
	] as const;
	const rows = sessions
		.slice(0, MOST_SESSIONS)
		.map((row) => [
			oneLine(shortSession(row.session)),
			row.host,
			formatTime(row.last_ts),
			formatCount(row.messages),
			truncateWidth(oneLine(row.title ?? ""), MOST_TITLE_COLUMNS),
		]);
	yield* renderTable(columns, rows, {
		style: "ruled",
		width: out.columns,
		paintHead: (text) => out.paint("dim", text),
	});
	const more = sessions.length - MOST_SESSIONS;
	if (more > 0) yield out.paint("dim", `and ${plural(more, "more session")}: weft status --json lists them all`);
}
