/** The map: every path seen, as a tree, and the files that were read or changed. */

import { getKey, newestFirst } from "../../log/fold/keyed.ts";
import { nameAtStart, nameInLine } from "../../message/enclosure.ts";
import { type FilesState, fileHandle, spellingOf } from "../../state/work/file-fold.ts";
import type { PathState } from "../../state/work/path-fold.ts";
import { bytesOf, makeSection, renderList, type Section, type SectionStyle, tokensOf } from "./section.ts";

export function renderPaths({ seen }: PathState, style: SectionStyle, bytes: number): Section {
	const paths = [...newestFirst(seen)].map(([path]) => nameInLine(path));
	const title = style.heading("Paths seen (folder, then names)");
	const notice = (count: number) => style.notice(`${count} more`);
	const folders = new Map<string, string[]>();
	let free = bytes - bytesOf([title, notice(paths.length)]);
	let taken = 0;
	for (const path of paths) {
		const cut = path.lastIndexOf("/") + 1;
		const [folder, name] = [path.slice(0, cut), path.slice(cut)];
		const names = folders.get(folder);
		free -= bytesOf([name]) + (names ? 0 : bytesOf([folder]));
		if (free < 0) break;
		taken++;
		if (names) names.push(name);
		else folders.set(folder, [name]);
	}
	const left = paths.length - taken;
	if (taken === 0) return makeSection("paths", [], [], left);
	const tree = [...folders]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([folder, names]) => nameAtStart(`${folder} ${names.sort().join(" ")}`));
	const why = `the newest ${taken} of ${paths.length} paths that came by`;
	const item = { id: "paths", kind: "paths", tokens: tokensOf(tree), why, included: true };
	return makeSection("paths", [title, ...tree, ...(left > 0 ? [notice(left)] : [])], [item], left);
}

export function renderLedger({ files, recent, count }: FilesState, style: SectionStyle, bytes: number): Section {
	const known = recent
		.toReversed()
		.map((path) => getKey(files, path))
		.filter((file) => file !== undefined);
	const entries = known.map((file) => {
		const { path, reads, changes, added, removed, deleted, last } = file;
		const changed = changes > 0 ? ` changed ${changes}× +${added}/-${removed}` : "";
		const line = `- ${nameInLine(spellingOf(file))}${reads > 0 ? ` read ${reads}×` : ""}${changed}${deleted ? " deleted" : ""}`;
		return {
			id: `ledger:${path}`,
			kind: "ledger",
			why: "read or changed",
			handle: fileHandle({ last }),
			forms: [[line]],
		};
	});
	const title = `Files touched (${count})`;
	return renderList({ name: "ledger", title, entries, more: count - known.length }, style, bytes);
}
