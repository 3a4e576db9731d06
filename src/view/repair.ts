/** The report of a repair: what was lost, restored and set aside. */

import { plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import type { RepairReport } from "../log/repair/repair.ts";
import type { TextStyle } from "./text-style.ts";

const MAX_SHOWN = 20;

/** The JSON of `weft repair`. */
export interface RepairView extends RepairReport {
	/** Searched files, and how many events or blobs each restored. */
	readonly files: readonly { readonly file: string; readonly restored: number }[];
	/** The folder of the damaged bytes. */
	readonly damaged: string;
}

export function* renderRepair(view: RepairView, style: TextStyle): Generator<string> {
	const { lost, restored, isolated, relinked, left, files, damaged } = view;
	if (relinked > 0) yield `${plural(relinked, "hash", "hashes")} computed again.`;
	if (lost === 0) {
		yield `${style.paint("green", "✓")} Nothing is lost.`;
		return;
	}
	yield `${plural(lost, "event or blob", "events or blobs")} damaged, ${restored} restored, ${left.length} still lost.`;
	for (const { file, restored: from } of files.filter((each) => each.restored > 0)) {
		yield `  ${from} from ${oneLine(file)}`;
	}
	for (const each of left.slice(0, MAX_SHOWN)) yield `  lost: ${oneLine(each)}`;
	if (left.length > MAX_SHOWN) yield `  … and ${left.length - MAX_SHOWN} more`;
	if (isolated > 0) yield `The damaged bytes are in ${oneLine(damaged)}. Everything else is whole.`;
	if (left.length > 0) yield "If another machine or a backup has a copy: weft repair FILE";
}
