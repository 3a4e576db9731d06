/** The repository's files, as git lists them. */

import { EngineError } from "../base/error/engine-error.ts";
import { type RepoMap, readRepoMap } from "../base/git/repo-map.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

/** The JSON of `weft repo`. */
export interface RepoView extends RepoMap {
	/** seq of the event that records it. */
	readonly seq: number;
	readonly root: string;
}

/** Maps the repository and records the map, under `session` if given. Opens the engine only if there is a map. */
export async function mapRepository(root: string, open: () => Engine, session?: SessionRef): Promise<RepoView> {
	const map = await readRepoMap(root);
	if (!map) {
		const why = "It is not a repository, or git is not installed.";
		throw new EngineError("not-found", `git lists no files in ${root}. ${why}`);
	}
	const {
		seqs: [seq = 0],
	} = open().record([{ type: "RepoMap", ...session, payload: { ...map } }]);
	return { seq, root, ...map };
}

export function* renderRepo({ files, head, seq, folders, extensions }: RepoView, style: TextStyle): Generator<string> {
	yield `${plural(files, "file")} at ${head ?? "no commit yet"}, recorded as event ${seq}.`;
	const cells = (pair: readonly [string, number] | undefined) =>
		pair ? [oneLine(pair[0]), formatCount(pair[1])] : ["", ""];
	if (files === 0) return;
	const most = Math.max(folders.length, extensions.length);
	const rows = Array.from({ length: most }, (_, at) => [...cells(folders[at]), ...cells(extensions[at])]);
	const columns = [
		{ title: "folder" },
		{ title: "files", align: "right" },
		{ title: "extension" },
		{ title: "files", align: "right" },
	] as const;
	yield* renderRuled(style, columns, rows);
}
