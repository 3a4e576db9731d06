/** The effective settings, and where each value comes from. Pure. */

import { renderTable } from "../base/text/table.ts";
import { formatAgo } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { hidePassword } from "../settings/fleet-address.ts";
import { KEYS, type KeySpec, SETTING_KEYS, type SettingKey } from "../settings/keys.ts";
import type { ResolvedSettings, SettingProblem } from "../settings/resolve.ts";
import type { TrustedProject } from "../settings/trust.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

/** The JSON of `weft config`. */
interface SettingsView {
	readonly settings: Readonly<Record<SettingKey, SettingView>>;
	readonly problems: readonly SettingProblem[];
	/** The project's own files, ignored because the project is not trusted. */
	readonly ignored: readonly string[];
}

interface SettingView {
	readonly value: unknown;
	readonly origin: string;
	readonly default: unknown;
}

/** `home`: the data folder in effect. */
export function viewSettings({ settings, origins, problems, ignored }: ResolvedSettings, home: string): SettingsView {
	const views = SETTING_KEYS.map((key): [SettingKey, SettingView] => {
		const value = key === "dbDir" ? home : shownSetting(key, settings[key]);
		return [key, { value, origin: origins[key], default: KEYS[key].default }];
	});
	return { settings: Object.fromEntries(views) as Record<SettingKey, SettingView>, problems, ignored };
}

/** The address of a server may hold a password. */
export function shownSetting(key: SettingKey, value: unknown): unknown {
	return key === "fleet.url" && typeof value === "string" ? hidePassword(value) : value;
}

interface RenderSettingsOptions {
	/** Show where each value comes from instead of the description. */
	readonly origin: boolean;
}

export function renderSettings(view: SettingsView, style: TextStyle, { origin }: RenderSettingsOptions): string[] {
	// A screen has no room for the description next to the value.
	if (!origin && style.columns !== undefined) return stacked(view, style);
	const columns = [
		{ title: "setting", paint: (cell: string) => style.paint("bold", cell) },
		{ title: "value", shrink: true },
		origin ? { title: "origin", shrink: true } : { title: "what it does", shrink: true },
	];
	const rows = SETTING_KEYS.map((key) => {
		const spec: KeySpec = KEYS[key];
		const { value, origin: from } = view.settings[key];
		return [key, shown(value), origin ? from : spec.description];
	});
	return renderRuled(style, columns, rows);
}

function stacked(view: SettingsView, style: TextStyle): string[] {
	return SETTING_KEYS.flatMap((key) => {
		const spec: KeySpec = KEYS[key];
		const value = wrapWords(`${key}  ${shown(view.settings[key].value)}`, style.columns);
		const [first = "", ...more] = value;
		return [
			style.paint("bold", key) + first.slice(key.length),
			...more,
			...wrapWords(`    ${spec.description}`, style.columns, "").map((line) => style.paint("dim", line)),
		];
	});
}

function shown(value: unknown): string {
	return typeof value === "object" && value !== null ? JSON.stringify(value).replaceAll("},{", "}, {") : String(value);
}

/** The JSON of `weft config set`. */
interface WrittenSetting {
	readonly key: SettingKey;
	/** The effective value and its origin: another place may override the file. */
	readonly value: unknown;
	readonly origin: string;
	readonly file: string;
	/** The file that got the password of the value. */
	readonly passwordFile?: string | undefined;
}

/** `chosen`: the written value; undefined: the key was removed. */
export function* renderWrittenSetting(
	{ key, value, origin, file, passwordFile }: WrittenSetting,
	chosen: unknown,
): Generator<string> {
	yield chosen === undefined ? `${key} is no longer set in ${file}.` : `${key} = ${shown(chosen)}, in ${file}.`;
	if (passwordFile !== undefined) yield `The password is in ${passwordFile}, which only you can read.`;
	if (origin !== file && !(chosen === undefined && origin === "default")) {
		yield `Here ${origin} overrides it: ${key} = ${shown(value)}.`;
	}
}

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
