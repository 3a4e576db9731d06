import { EngineError } from "../../../error/engine-error.ts";
import { readRepoMap } from "../../../git/repo-map.ts";
import { formatCount, plural } from "../../../text/bytes.ts";
import { oneLine } from "../../../text/printable.ts";
import type { Asked } from "./asked.ts";

export async function run({ live }: Asked): Promise<string> {
	const { root } = live.engine.project;
	const map = await readRepoMap(root);
	if (!map)
		throw new EngineError("not-found", `git lists no files in ${root}: no repository, or git is not installed.`);
	const { seqs } = live.engine.record([{ type: "RepoMap", ...live.session, payload: { ...map } }]);
	const counts = (pairs: readonly (readonly [string, number])[]) =>
		pairs.map(([name, files]) => `${oneLine(name)} ${formatCount(files)}`).join(", ");
	return [
		`${plural(map.files, "file")} at ${map.head ?? "no commit yet"}, written down as event ${seqs[0]}.`,
		`  folders: ${counts(map.folders)}`,
		`  kinds: ${counts(map.extensions)}`,
	].join("\n");
}
