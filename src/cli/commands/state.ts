import { age, span } from "../../context/section/age.ts";
import { heading } from "../../context/section/warp/failures.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { truncateWidth } from "../../text/truncate.ts";
import { type StateView, viewState } from "../../view/state-view.ts";
import type { FileState } from "../../work/file-fold.ts";
import { type AtOptions, momentOf } from "../at-seq.ts";
import type { Context } from "../context.ts";

const MOST_LISTED = 20;
const MOST_COLUMNS = 160;

export async function run(context: Context, _args: readonly string[], options: AtOptions): Promise<void> {
	const engine = context.openExisting();
	try {
		const moment = momentOf(engine, options);
		const view = viewState(moment, moment.chosen);
		if (context.out.json) return await context.out.document(view);
		const now = moment.past ? (engine.log.get(moment.seq)?.ts ?? context.now()) : context.now();
		await context.out.lines(describe(context, view, now));
		if (!view.complete) context.out.talk("Some older events were pruned; what only they told is missing here.");
	} finally {
		engine.close();
	}
}

function* describe({ out }: Context, view: StateView, now: number): Generator<string> {
	const bold = (text: string): string => out.paint("bold", text);
	const dim = (text: string): string => out.paint("dim", text);
	const cut = (text: string): string => {
		const indent = text.length - text.trimStart().length;
		return " ".repeat(indent) + truncateWidth(oneLine(text), (out.columns ?? MOST_COLUMNS) - indent);
	};
	const { session, repo, intent, progress } = view;
	const pairs = [
		[
			"event",
			`${formatCount(view.seq)}${view.unknown > 0 ? `, ${plural(view.unknown, "unknown event")} passed over` : ""}`,
		],
		["session", session ? `${session.session} (${session.host}) in ${session.cwd ?? "an unknown folder"}` : "none"],
		[
			"repository",
			repo ? `${repo.head?.slice(0, 10) ?? "no commit"}, ${plural(repo.files, "file")}` : "no map yet: weft repo",
		],
		["intent", intent ? intent.current.text : "none given yet"],
	];
	const rows = pairs.map(([name, value]) => [name!, oneLine(value!)]);
	yield* renderTable(
		[
			{ title: "", paint: bold },
			{ title: "", shrink: true },
		],
		rows,
		{ style: "bare", width: out.columns },
	);

	yield "";
	yield bold(`Working set (${view.workingSet.length} of ${plural(view.files.length, "file")})`);
	const byPath = new Map(view.files.map((file) => [file.path, file]));
	for (const { path, score, why } of view.workingSet) {
		const file = byPath.get(path);
		yield cut(`  ${path} (${file ? fileNotes(file, now) : ""})`);
		yield dim(cut(`    score ${score.toFixed(2)}: ${why.join("; ")}`));
	}

	yield "";
	yield bold(`Open failures (${view.failures.open.length})`);
	for (const failure of [...view.failures.open].reverse().slice(0, MOST_LISTED)) {
		yield cut(`  ${heading(failure, MOST_COLUMNS)}`);
		yield dim(cut(`    ${failure.message}`));
	}
	yield* section(bold, "Recently resolved", view.failures.resolved, (failure) =>
		cut(`  ${heading(failure, MOST_COLUMNS)}`),
	);
	yield* section(bold, "Decisions", view.decisions.active, ({ seq, text, rationale }) =>
		cut(`  #${seq} ${text}${rationale === null ? "" : ` (${rationale})`}`),
	);
	yield* section(bold, "Verdicts", view.verdicts, ({ verdict, rule, path, reason, ts }) =>
		cut(`  ${verdict} ${rule} ${path ?? ""} (${age(ts, now)}): ${reason}`),
	);

	if (progress) {
		const since = progress.sinceIntent;
		yield "";
		yield bold("Progress");
		yield `  ${plural(progress.turns, "turn")} in the session, ${since.turns} since the intent`;
		yield `  ${plural(progress.commands, "command")}, ${progress.failedCommands} failed; since the intent ${since.commands}, ${since.failedCommands} failed`;
		yield cut(
			`  changed since the intent: +${since.added}/-${since.removed} lines in ${plural(since.files.length, "file")} ${since.files.join(", ")}`,
		);
	}
	if (view.latency.length === 0) return;
	yield "";
	yield bold("Latency");
	for (const tool of view.latency.slice(0, MOST_LISTED)) {
		yield `  ${oneLine(tool.tool)}: ${span(tool.typicalMs)} as a rule, ${span(tool.maxMs)} at most, ${plural(tool.calls, "call")}`;
	}
}

/** The newest first, with how many there are; nothing at all where there are none. */
function* section<Item>(
	paint: (text: string) => string,
	title: string,
	items: readonly Item[],
	line: (item: Item) => string,
): Generator<string> {
	if (items.length === 0) return;
	yield "";
	yield paint(`${title} (${items.length})`);
	for (const item of [...items].reverse().slice(0, MOST_LISTED)) yield line(item);
	if (items.length > MOST_LISTED) yield `  … ${items.length - MOST_LISTED} more: weft state --json`;
}

function fileNotes(file: FileState, now: number): string {
	const notes = [
		file.lastReadSeq > 0 ? `read ${age(file.lastReadTs, now)}` : "",
		file.lastChangeSeq > 0 ? `changed ${age(file.lastChangeTs, now)} (+${file.added}/-${file.removed})` : "",
		file.deleted ? "deleted" : "",
	];
	return notes.filter((note) => note !== "").join(", ");
}
