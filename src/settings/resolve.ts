/**
 * Resolves sources to settings; pure. The first source with a valid value decides a key, but `enabled: false` counts in any
 * source. A problem does not stop the rest: the caller decides whether it ends the program (the command line) or becomes a
 * notice (an agent).
 */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { writeJson } from "../base/json/write.ts";
import { closest } from "../base/text/closest-word.ts";
import { oneLine, printableJson } from "../base/text/printable.ts";
import { readPriceLine } from "../base/tokens/prices.ts";
import { KEYS, type KeySpec, SETTING_KEYS, type SettingKey, type Settings } from "./keys.ts";
import { readSources, type SettingPlaces } from "./sources.ts";

export interface Source {
	/** As people read it: a file's path, `WEFT_HOME`, `--home`. */
	readonly origin: string;
	/** Relative paths among the values are relative to this folder. */
	readonly base: string;
	/** true: values are texts, as in the environment. */
	readonly textual?: boolean | undefined;
	/** True: the project's own file. */
	readonly isProjects?: boolean | undefined;
	readonly values: Readonly<Record<string, unknown>>;
}

export interface SettingProblem {
	readonly origin: string;
	/** undefined: the whole file. */
	readonly key?: string | undefined;
	/** Names the place and says what to do. */
	readonly message: string;
	/** No setting has another value than was meant, so this never ends a command: a key that weft skips. */
	readonly isSkipped?: true | undefined;
}

export interface ResolvedSettings {
	readonly settings: Settings;
	/** The origin of each value; `default` where no source sets it. */
	readonly origins: Readonly<Record<SettingKey, string>>;
	readonly problems: readonly SettingProblem[];
	/** The project's own files, ignored because the project is not trusted. */
	readonly ignored: readonly string[];
}

/** Bounds quoted keys and values: a project's file may contain anything. */
const MAX_SHOWN_CHARS = 60;

/** In a careless merge, properties with these names would change every object's prototype. */
const DANGEROUS_KEYS = ["__proto__", "constructor", "prototype"];

/** The keys that a source sets, by the settings that came of it. */
const CHOSEN_KEYS = new WeakMap<Settings, ReadonlySet<string>>();

/** True: the value is not only the default. */
export function isChosen(settings: Settings, key: SettingKey): boolean {
	return CHOSEN_KEYS.get(settings)?.has(key) ?? false;
}

export function resolveSettings(sources: readonly Source[], userHome: string): Omit<ResolvedSettings, "ignored"> {
	const values = new Map<string, unknown>();
	const origins = new Map<string, string>();
	const problems: SettingProblem[] = [];
	for (const source of sources) {
		for (const [key, given] of Object.entries(source.values)) {
			if (DANGEROUS_KEYS.includes(key)) continue;
			if (!isSettingKey(key)) {
				const message = unknownKey(source.origin, key);
				problems.push({ origin: source.origin, key, message, isSkipped: true });
				continue;
			}
			const spec: KeySpec = KEYS[key];
			if (source.isProjects && spec.isUsersAlone) {
				problems.push({ origin: source.origin, key, message: notForProjects(source.origin, key), isSkipped: true });
				continue;
			}
			const value = readValue(spec, given, source, userHome);
			if (spec.type === "prices" && Array.isArray(value)) {
				for (const line of value.filter(isBadPriceLine)) {
					const message = badPriceLine(source.origin, line);
					problems.push({ origin: source.origin, key, message, isSkipped: true });
				}
			}
			if (value === undefined) {
				problems.push({ origin: source.origin, key, message: badValue(source, key, given) });
			} else if (!values.has(key) || (key === "enabled" && value === false)) {
				values.set(key, value);
				origins.set(key, source.origin);
			}
		}
	}
	const entries = SETTING_KEYS.map((key) => [key, values.get(key) ?? KEYS[key].default]);
	const settings = Object.fromEntries(entries) as Settings;
	CHOSEN_KEYS.set(settings, new Set(origins.keys()));
	return {
		settings,
		origins: Object.fromEntries(SETTING_KEYS.map((key) => [key, origins.get(key) ?? "default"])) as Record<
			SettingKey,
			string
		>,
		problems,
	};
}

/** Checks a setting that a person typed; returns its key and the value for the file. Undefined: back to the default. */
export function readChosen(
	key: string,
	given: string | undefined,
	base: string,
	userHome: string,
): { readonly key: SettingKey; readonly value: unknown; readonly passwordFile?: undefined } {
	if (!isSettingKey(key)) throw new EngineError("usage", unknownChoice(key));
	const spec: KeySpec = KEYS[key];
	if (given === undefined) return { key, value: undefined };
	const isList = ["models", "paths", "names", "prices"].includes(spec.type);
	const source = { origin: "weft config set", base, textual: !isList, values: {} };
	const value = readValue(spec, isList ? parseList(given) : given, source, userHome);
	if (value === undefined) throw new EngineError("usage", badValue({ ...source, textual: false }, key, given));
	const bad = spec.type === "prices" ? (value as string[]).find(isBadPriceLine) : undefined;
	if (bad !== undefined) throw new EngineError("usage", badPriceLine(source.origin, bad));
	return { key, value };
}

function parseList(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function readValue(spec: KeySpec, given: unknown, source: Source, userHome: string): unknown {
	const value = source.textual ? fromText(spec, String(given)) : given;
	switch (spec.type) {
		case "boolean":
			return typeof value === "boolean" ? value : undefined;
		case "integer":
			return Number.isSafeInteger(value) && (value as number) >= (spec.min ?? 0) ? value : undefined;
		case "share":
			return typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
		case "path":
			return typeof value === "string" && value.trim() !== "" ? absolute(value, source.base, userHome) : undefined;
		case "text":
			return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
		case "names":
			return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
		case "prices":
			return Array.isArray(value) && value.every((each) => typeof each === "string")
				? value.map((each) => (each.includes("=") ? each : absolute(each, source.base, userHome)))
				: undefined;
		case "choice":
			return spec.choices?.includes(value as string) ? value : undefined;
		case "models":
			return Array.isArray(value) && value.every(isModelName) ? value : undefined;
		case "paths":
			return Array.isArray(value) && value.every((each) => typeof each === "string")
				? value.map((each) => absolute(each, source.base, userHome))
				: undefined;
	}
}

function fromText(spec: KeySpec, text: string): unknown {
	if (spec.type === "integer") return /^\d+$/.test(text) ? Number(text) : undefined;
	if (spec.type === "share") return /^\d*\.?\d+$/.test(text) ? Number(text) : undefined;
	if (spec.type === "path" || spec.type === "choice" || spec.type === "text") return text;
	if (/^(1|true|yes|on)$/i.test(text)) return true;
	return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}

function isModelName(value: unknown): boolean {
	const fields = (value ?? {}) as { provider?: unknown; id?: unknown };
	return typeof fields.provider === "string" && typeof fields.id === "string";
}

function absolute(path: string, base: string, userHome: string): string {
	return path === "~" || path.startsWith("~/") ? resolve(userHome, `.${path.slice(1)}`) : resolve(base, path);
}

function isSettingKey(key: string): key is SettingKey {
	return Object.hasOwn(KEYS, key);
}

function isBadPriceLine(line: string): boolean {
	return line.includes("=") && readPriceLine(line) === undefined;
}

function badPriceLine(origin: string, line: string): string {
	const shown = oneLine(line.slice(0, MAX_SHOWN_CHARS));
	return `${origin}: the line '${shown}' of prices is not used. Write model=input/read/write/output, none below zero.`;
}

function unknownKey(origin: string, key: string): string {
	const meant = closest(key, SETTING_KEYS);
	const hint = meant ? `Did you mean '${meant}'?` : "Remove it, or see 'weft config' for the known ones.";
	return `${origin}: unknown key '${oneLine(key.slice(0, MAX_SHOWN_CHARS))}'. ${hint}`;
}

function unknownChoice(key: string): string {
	const meant = closest(key, SETTING_KEYS);
	const hint = meant ? `Did you mean '${meant}'? ` : "";
	return `Unknown setting '${oneLine(key.slice(0, MAX_SHOWN_CHARS))}'. ${hint}'weft config' lists all settings.`;
}

function notForProjects(origin: string, key: string): string {
	return `${origin}: '${key}' does not count in a project's own file. Remove it; 'weft config set ${key} …' is for you alone.`;
}

function badValue(source: Source, key: SettingKey, given: unknown): string {
	const spec: KeySpec = KEYS[key];
	const wants = {
		boolean: "true or false",
		integer: `a whole number, at least ${spec.min ?? 0}`,
		share: "a number from 0 to 1",
		path: "the path of a folder",
		text: "a text",
		names: "a list of texts",
		prices: "a list of MODEL=PRICES and of paths",
		choice: `one of ${spec.choices?.join(", ")}`,
		models: "a list of { provider, id }",
		paths: "a list of paths",
	}[spec.type];
	const name = source.textual ? "" : `'${key}' `;
	return `${source.origin}: ${name}must be ${wants}, not ${printableJson(writeJson(given).slice(0, MAX_SHOWN_CHARS))}.`;
}

export type ReadOptions = Omit<SettingPlaces, "userHome">;

/** The effective settings, the origin of each, and the problems in the places that were read. Never throws. */
export function readSettings(options: ReadOptions): ResolvedSettings {
	const userHome = options.env["HOME"] || homedir();
	const { sources, problems, ignored } = readSources({ ...options, userHome });
	const resolved = resolveSettings(sources, userHome);
	return { ...resolved, problems: [...problems, ...resolved.problems], ignored };
}
