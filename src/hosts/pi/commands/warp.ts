/** What is true of the work now, for a person who looks up from it. */

import { projectState } from "../../../context/project-state.ts";
import { age } from "../../../context/section/age.ts";
import { heading } from "../../../context/section/warp/failures.ts";
import { formatBytes, formatCount, plural } from "../../../text/bytes.ts";
import { oneLine } from "../../../text/printable.ts";
import { truncateUnits } from "../../../text/truncate.ts";
import { diskUse } from "../../../view/disk.ts";
import { viewState } from "../../../view/state-view.ts";
import type { FileState } from "../../../work/file-fold.ts";
import type { Asked } from "./asked.ts";

const MOST_LISTED = 10;
const MOST_CHARS = 160;

export async function run({ live }: Asked): Promise<string> {
	const { log } = live.engine;
	const view = viewState(projectState(log).current(), live.session.session);
	const now = Date.now();
	const files = new Map(view.files.map((file) => [file.path, file]));
	const { open, resolved } = view.failures;
	const lines = [
		`Intent: ${view.intent ? cut(view.intent.current.text) : "none yet"}`,
		...list(
			`Working set (${view.workingSet.length} of ${plural(view.files.length, "file")})`,
			view.workingSet,
			({ path }) => cut(`${path}${fileNotes(files.get(path), now)}`),
		),
		...list(`Open failures (${open.length})`, open.toReversed(), (failure) => [
			cut(heading(failure, MOST_CHARS).trim()),
			`  ${cut(failure.message)}`,
		]),
		...(resolved.length === 0
			? []
			: list(`Recently resolved (${resolved.length})`, resolved.toReversed(), (failure) =>
					cut(heading(failure, MOST_CHARS).trim()),
				)),
		...list(
			`Decisions (${view.decisions.active.length})`,
			view.decisions.active.toReversed(),
			({ handle, text, rationale }) => cut(`${handle} ${text}${rationale === null ? "" : ` (${rationale})`}`),
		),
		"",
		`Log: ${log.path} (${plural(log.count(), "event")}, ${formatBytes(diskUse(log).total)})`,
	];
	return lines.join("\n");
}

function* list<Item>(
	title: string,
	items: readonly Item[],
	describe: (item: Item) => string | readonly string[],
): Generator<string> {
	yield "";
	yield title;
	for (const item of items.slice(0, MOST_LISTED)) for (const line of [describe(item)].flat()) yield `  ${line}`;
	if (items.length > MOST_LISTED) yield `  … ${formatCount(items.length - MOST_LISTED)} more: /warp-dump`;
}

function fileNotes(file: FileState | undefined, now: number): string {
	if (!file) return "";
	const notes = [
		...(file.lastReadSeq > 0 ? [`read ${age(file.lastReadTs, now)}`] : []),
		...(file.lastChangeSeq > 0 ? [`changed ${age(file.lastChangeTs, now)} (+${file.added}/-${file.removed})`] : []),
		...(file.deleted ? ["deleted"] : []),
	];
	return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

function cut(text: string): string {
	return truncateUnits(oneLine(text), MOST_CHARS);
}
