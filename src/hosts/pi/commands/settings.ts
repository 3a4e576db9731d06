/**
 * The settings that hold here and whence each came. With a screen they are a list to choose from: a choice goes to the
 * user's own configuration file, and holds from the next session on; the mode holds at once.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EngineError } from "../../../error/engine-error.ts";
import { KEYS, type KeySpec, SETTING_KEYS, type SettingKey, type Settings } from "../../../settings/keys.ts";
import { readSettings } from "../../../settings/read.ts";
import type { ResolvedSettings } from "../../../settings/resolve.ts";
import { renderTable } from "../../../text/table.ts";
import type { Live } from "../live.ts";
import type { Asked } from "./asked.ts";

/** Only these are chosen from a list; models, paths and handlers are written in the file by hand. */
const CHOOSABLE = new Set<KeySpec["type"]>(["boolean", "choice", "integer"]);
const DONE = "done";

export async function showSettings({ ctx, live }: Asked): Promise<string> {
	if (ctx.mode !== "tui") return table(resolved(ctx, live));
	const changed: string[] = [];
	for (;;) {
		const { settings } = resolved(ctx, live);
		const rows = SETTING_KEYS.filter((key) => CHOOSABLE.has(KEYS[key].type)).map((key) => `${key}: ${settings[key]}`);
		const chosen = await ctx.ui.select("weft settings", [...rows, DONE]);
		if (chosen === undefined || chosen === DONE) break;
		const key = chosen.slice(0, chosen.indexOf(":")) as SettingKey;
		const value = await ask(ctx, key);
		if (value === undefined) continue;
		const file = writeSetting(process.env, key, value);
		if (key === "mode") live.setMode(value as Settings["mode"]);
		changed.push(`${key} = ${value}, in ${file}`);
	}
	return changed.length === 0 ? "Nothing was changed." : changed.join("\n");
}

/** Into the user's file; what else stands in it stays. */
export function writeSetting(env: NodeJS.ProcessEnv, key: SettingKey, value: unknown): string {
	const file = join(env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config"), "weft", "config.json");
	const text = JSON.stringify({ ...readObject(file), [key]: value }, null, 2);
	mkdirSync(dirname(file), { recursive: true });
	const fresh = `${file}.${process.pid}.new`;
	writeFileSync(fresh, `${text}\n`);
	renameSync(fresh, file);
	return file;
}

function readObject(file: string): object {
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return {};
		throw error;
	}
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
	} catch {
		// Said below.
	}
	throw new EngineError("bad-config", `${file} is not a JSON object. Correct it, or remove it; nothing was written.`);
}

async function ask(ctx: Asked["ctx"], key: SettingKey): Promise<unknown> {
	const spec: KeySpec = KEYS[key];
	const title = `${key}: ${spec.description}`;
	if (spec.type === "boolean") {
		const chosen = await ctx.ui.select(title, ["true", "false"]);
		return chosen === undefined ? undefined : chosen === "true";
	}
	if (spec.type === "choice") return ctx.ui.select(title, [...(spec.choices ?? [])]);
	const typed = await ctx.ui.input(title, String(spec.default));
	if (typed === undefined || typed === "") return undefined;
	const number = Number(typed);
	if (Number.isInteger(number) && number >= (spec.min ?? 0)) return number;
	ctx.ui.notify(`${key} takes a whole number from ${spec.min ?? 0} on, not '${typed}'.`, "warning");
	return undefined;
}

function resolved(ctx: Asked["ctx"], live: Live): ResolvedSettings {
	const { root } = live.engine.project;
	return readSettings({ env: process.env, cwd: live.cwd, projectRoot: root, trusted: ctx.isProjectTrusted() });
}

function table({ settings, origins, problems }: ResolvedSettings): string {
	const shown = (value: unknown) =>
		typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
	const rows = SETTING_KEYS.map((key) => [key, shown(settings[key]), origins[key]]);
	const lines = renderTable([{ title: "setting" }, { title: "value" }, { title: "origin" }], rows, { style: "ruled" });
	return [...lines, ...problems.map(({ message }) => message)].join("\n");
}
