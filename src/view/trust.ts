/** The trusted projects, and the settings that trust enables. Pure. */

import { formatAgo } from "../base/text/age.ts";
import { renderTable } from "../base/text/table.ts";
import type { SettingKey } from "../settings/keys.ts";
import type { ResolvedSettings } from "../settings/resolve.ts";
import type { TrustedProject } from "../settings/trust.ts";
import type { TextStyle } from "./text-style.ts";

/** The JSON of `weft trust`. */
export interface TrustView {
	readonly project: string;
	readonly trusted: boolean;
	/** False: nothing changed. */
	readonly changed: boolean;
	/** The project's own files, and which settings come from each where it is trusted. */
	readonly files: readonly { readonly file: string; readonly settings: readonly SettingKey[] }[];
}

/** `files`: the project's own; `origins`: of the settings with them. */
export function filesOfProject(files: readonly string[], { origins }: ResolvedSettings): TrustView["files"] {
	const entries = Object.entries(origins) as [SettingKey, string][];
	return files.map((file) => ({ file, settings: entries.filter(([, from]) => from === file).map(([key]) => key) }));
}

export function* renderTrust({ project, trusted, changed, files }: TrustView): Generator<string> {
	const again = changed ? "" : trusted ? " already" : " (it was not trusted before)";
	yield trusted ? `${project} is${again} trusted.` : `${project} is not trusted${again}.`;
	if (files.length === 0) yield "It has no settings files of its own.";
	for (const { file, settings } of files) {
		const names = settings.length === 0 ? "no setting" : settings.join(", ");
		yield `${trusted ? "This file counts" : "This file is ignored"}: ${file} (${names})`;
	}
}

export function* renderTrusted(projects: readonly TrustedProject[], style: TextStyle, now: number): Generator<string> {
	if (projects.length === 0) yield "You trust no project yet. 'weft trust' trusts the one around you.";
	const rows = projects.map(({ path, since }) => [path, style.paint("dim", formatAgo(since, now))]);
	yield* renderTable([{ title: "" }, { title: "" }], rows, { style: "bare" });
}
