/** The map: every path that came by, as a tree, and the ledger of files that were read or changed. */

import { newestFirst } from "../../../fold/keyed.ts";
import { bytesOfTokens } from "../../../tokens/estimate.ts";
import type { FilesState } from "../../../work/file-fold.ts";
import type { PathState } from "../../../work/path-fold.ts";
import { listSection, makeSection, type Section } from "./section.ts";

export function pathsSection(state: PathState, budget: number): Section | undefined {
	const paths = [...newestFirst(state.seen)].map(([path]) => path);
	if (paths.length === 0) return undefined;
	const most = bytesOfTokens(budget);
	const folders = new Map<string, string[]>();
	let bytes = 40;
	let taken = 0;
	for (const path of paths) {
		const cut = path.lastIndexOf("/") + 1;
		const folder = path.slice(0, cut);
		const size = path.length - cut + 1 + (folders.has(folder) ? 0 : folder.length + 2);
		if (bytes + size > most) break;
		bytes += size;
		taken++;
		const names = folders.get(folder);
		if (names) names.push(path.slice(cut));
		else folders.set(folder, [path.slice(cut)]);
	}
	const lines = [...folders]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([folder, names]) => `${folder} ${names.sort().join(" ")}`);
	const left = paths.length - taken;
	const end = left > 0 ? [`[${left} more paths: lcm_grep]`] : [];
	return makeSection("paths", ["## Paths seen (folder, then names)", ...lines, ...end].join("\n"), left);
}

export function ledgerSection(state: FilesState, budget: number): Section | undefined {
	const items = state.recent.toReversed().flatMap((path) => {
		const file = Object.hasOwn(state.files, path) ? state.files[path] : undefined;
		if (!file) return [];
		const changes = file.changes > 0 ? ` changed ${file.changes}× +${file.added}/-${file.removed}` : "";
		return [`- ${path}${file.reads > 0 ? ` read ${file.reads}×` : ""}${changes}${file.deleted ? " deleted" : ""}`];
	});
	const heading = `## Files touched (${state.count})`;
	return listSection("ledger", heading, items, budget, (left) => `[${left} older ones: lcm_grep]`);
}
