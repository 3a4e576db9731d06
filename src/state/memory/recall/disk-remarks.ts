/** Remarks on items whose files have changed on disk or are gone. */
import { statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { RecallItem } from "./item.ts";

const DAY_MS = 86_400_000;
const MAX_PATHS = 4;
/** A name with a folder is a path; one without may be anything. */
const FILE = /\/[^/]*\.\w{1,8}$/;

export function diskRemarks(root: string): (item: RecallItem) => string | undefined {
	return (item) => {
		const remarks = (item.paths ?? []).slice(0, MAX_PATHS).flatMap((path) => remarkOn(root, path, item.date) ?? []);
		return remarks.length === 0 ? undefined : remarks.join(", ");
	};
}

function remarkOn(root: string, path: string, date: number | undefined): string | undefined {
	const place = isAbsolute(path) ? path : join(root, path);
	// Look at nothing outside the project.
	if (!FILE.test(`/${path}`) || relative(root, place).startsWith("..")) return undefined;
	const state = statSync(place, { throwIfNoEntry: false });
	if (!state) return isAbsolute(path) || path.includes("/") ? `${path} is not on disk` : undefined;
	// An item has only a day.
	return date !== undefined && state.mtimeMs >= date + DAY_MS ? `${path} has changed on disk since` : undefined;
}
