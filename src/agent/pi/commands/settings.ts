/**
 * `/weft settings`: the effective settings and where each comes from. With a screen, the user can change them: a change goes
 * to the user's own configuration file and takes effect in the next session; the mode changes at once.
 */
import { dataHome } from "../../../log/home.ts";
import { KEYS, type KeySpec, SETTING_KEYS, type SettingKey, type Settings } from "../../../settings/keys.ts";
import { type ResolvedSettings, readSettings } from "../../../settings/resolve.ts";
import { writeSetting } from "../../../settings/sources.ts";
import { renderSettings, viewSettings } from "../../../view/settings.ts";
import { PLAIN } from "../../../view/text-style.ts";
import type { CommandInput } from "./command-input.ts";

/** The list offers only these types; users edit models, paths and handlers in the file. */
const CHOOSABLE = new Set<KeySpec["type"]>(["boolean", "choice", "integer"]);
const DONE = "done";
const SCREEN_COLUMNS = 80;

export async function showSettings(input: CommandInput): Promise<string> {
	return input.ctx.mode === "tui" ? changeSettings(input) : listSettings(input);
}

function listSettings(input: CommandInput): string {
	const resolved = readHere(input);
	const view = viewSettings(resolved, dataHome(resolved.settings.dbDir ?? undefined, process.env));
	const lines = renderSettings(view, { ...PLAIN, columns: SCREEN_COLUMNS }, { origin: true });
	return [...lines, ...view.problems.map(({ message }) => message)].join("\n");
}

async function changeSettings(input: CommandInput): Promise<string> {
	const { ctx, live } = input;
	const changed: string[] = [];
	for (;;) {
		const { settings } = readHere(input);
		const rows = SETTING_KEYS.filter((key) => CHOOSABLE.has(KEYS[key].type)).map((key) => `${key}: ${settings[key]}`);
		const chosen = await ctx.ui.select("weft settings", [...rows, DONE]);
		if (chosen === undefined || chosen === DONE) break;
		const key = chosen.slice(0, chosen.indexOf(":")) as SettingKey;
		const value = await askValue(ctx, key);
		if (value === undefined) continue;
		const file = writeSetting(process.env, key, value);
		if (key === "mode") live.setMode(value as Settings["mode"]);
		changed.push(`${key} = ${value}, in ${file}`);
	}
	return changed.length === 0 ? "Nothing was changed." : changed.join("\n");
}

async function askValue(ctx: CommandInput["ctx"], key: SettingKey): Promise<unknown> {
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
	ctx.ui.notify(`${key} takes a whole number, at least ${spec.min ?? 0}, not '${typed}'.`, "warning");
	return undefined;
}

function readHere({ ctx, live }: CommandInput): ResolvedSettings {
	const { root } = live.engine.project;
	return readSettings({ env: process.env, cwd: live.cwd, projectRoot: root, trusted: ctx.isProjectTrusted() });
}
