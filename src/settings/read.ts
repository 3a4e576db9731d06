import { homedir } from "node:os";
import { type ResolvedSettings, resolveSettings } from "./resolve.ts";
import { readSources, type SettingPlaces } from "./sources.ts";

export type ReadOptions = Omit<SettingPlaces, "userHome">;

/** The effective settings, the origin of each, and the problems in the places that were read. Never throws. */
export function readSettings(options: ReadOptions): ResolvedSettings {
	const userHome = options.env["HOME"] || homedir();
	const { sources, problems, ignored } = readSources({ ...options, userHome });
	const resolved = resolveSettings(sources, userHome);
	return { ...resolved, problems: [...problems, ...resolved.problems], ignored };
}
