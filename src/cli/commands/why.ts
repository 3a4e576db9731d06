import { resolve } from "node:path";
import { projectState } from "../../context/project-state.ts";
import { EngineError } from "../../error/engine-error.ts";
import type { EventRecord } from "../../event/types.ts";
import { closest } from "../../text/closest.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { formatTime } from "../../text/time.ts";
import { eventFile } from "../../view/file.ts";
import { fileStory, spellingsOf } from "../../view/file-story.ts";
import { shortSession } from "../../view/session.ts";
import { baseName } from "../../work/project-path.ts";
import type { Context } from "../context.ts";

export async function run(context: Context, [given = ""]: readonly string[]): Promise<void> {
	const engine = context.openExisting();
	try {
		const { log, project } = engine;
		const file = eventFile(given, context.cwd, project.root);
		const { files, prefixes } = projectState(log).current().state.files;
		const spellings = [
			{ file },
			{ file: given },
			{ file: resolve(project.root, file) },
			...spellingsOf(file, prefixes),
		];
		const story = fileStory(log, spellings);
		if (story.length === 0) throw new EngineError("not-found", missing(given, Object.keys(files)));
		const { out } = context;
		if (out.json) return await out.document({ file, events: story });
		const rows = story.map((record) => [
			String(record.seq),
			formatTime(record.ts),
			oneLine(shortSession(record.session)),
			record.type,
			what(record),
		]);
		const columns = [
			{ title: "seq", align: "right" },
			{ title: "time" },
			{ title: "session" },
			{ title: "what" },
			{ title: "", shrink: true },
		] as const;
		await out.lines(
			renderTable(columns, rows, { style: "ruled", width: out.columns, paintHead: (text) => out.paint("dim", text) }),
		);
	} finally {
		engine.close();
	}
}

function what({ type, payload }: EventRecord): string {
	const text = (key: string): string => (typeof payload[key] === "string" ? (payload[key] as string) : "");
	switch (type) {
		case "FileRead":
			return `lines ${payload["from"]}-${payload["to"] ?? "?"}, ${text("sliceHash").slice(0, 8)}, by ${text("tool")}`;
		case "FileChanged": {
			const hash = text("hash") === "" ? "" : `, now ${text("hash").slice(0, 8)}`;
			return `${text("kind")} +${payload["added"]}/-${payload["removed"] ?? "?"}, by ${text("actor")} ${text("tool")}${hash}`;
		}
		default:
			return oneLine(`${text("verdict")} (${text("rule")}): ${text("reason")}`);
	}
}

function missing(given: string, known: readonly string[]): string {
	const meant = known.find((path) => baseName(path) === baseName(given)) ?? closest(given, known);
	const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
	return `No tool has read or changed '${given}' in this project's log.${hint}`;
}
