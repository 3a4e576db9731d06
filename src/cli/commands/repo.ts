import { EngineError } from "../../error/engine-error.ts";
import { readRepoMap } from "../../git/repo-map.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out } = context;
	const map = await readRepoMap(context.root);
	if (!map) {
		throw new EngineError(
			"not-found",
			`git lists no files in ${context.root}: it is no repository, or git is not installed.`,
		);
	}
	const engine = context.openForWriting();
	try {
		const { seqs } = engine.record([{ type: "RepoMap", payload: { ...map } }]);
		if (out.json) return await out.document({ seq: seqs[0], root: engine.project.root, ...map });
		await out.line(`${plural(map.files, "file")} at ${map.head ?? "no commit yet"}, written down as event ${seqs[0]}.`);
		const most = Math.max(map.folders.length, map.extensions.length);
		const cells = (pair: readonly [string, number] | undefined) =>
			pair ? [oneLine(pair[0]), formatCount(pair[1])] : ["", ""];
		const rows = Array.from({ length: most }, (_, at) => [...cells(map.folders[at]), ...cells(map.extensions[at])]);
		const columns = [
			{ title: "folder" },
			{ title: "files", align: "right" },
			{ title: "extension" },
			{ title: "files", align: "right" },
		] as const;
		await out.lines(renderTable(columns, rows, { style: "ruled", paintHead: (text) => out.paint("dim", text) }));
	} finally {
		engine.close();
	}
}
