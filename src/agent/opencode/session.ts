import { join } from "node:path";
import type { CutSession } from "../recorded/reader.ts";
import { nameOf, type SessionNames } from "./rows.ts";
import { OpencodeTranslator } from "./translate.ts";
import { outputsIn } from "./whole-outputs.ts";

export interface StoredSession {
	readonly host: string;
	readonly id: string;
	/** Of this session, and of those that it works for or that work for it, as far as they are known. */
	readonly parents: SessionNames;
	readonly cwd: string | undefined;
	readonly version: string | undefined;
	readonly created: number | undefined;
	/** The folder of the program's data. */
	readonly folder: string;
}

/** A session, wherever its rows are kept. */
export function sessionOf(of: StoredSession): Pick<CutSession, "session" | "cwd" | "open"> {
	const { host, id, parents, cwd, version, created = 0, folder } = of;
	const session = nameOf(id, parents);
	const parent = parents.get(id);
	return {
		session,
		cwd,
		open(log) {
			const translator = new OpencodeTranslator({
				host,
				session,
				parent: parent === undefined ? undefined : nameOf(parent, parents),
				cwd,
				version,
				created,
				childName: (child) => nameOf(child, parents.has(child) ? parents : new Map([...parents, [child, id]])),
				keepOutput: outputsIn(join(folder, "tool-output"), log),
			});
			return (record, raw) => translator.translate(record, raw);
		},
	};
}
