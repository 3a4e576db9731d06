import { EngineError } from "../../../base/error/engine-error.ts";
import { readChosen } from "../../../settings/resolve.ts";
import { writeSetting } from "../../../settings/write.ts";
import { renderWrittenSetting } from "../../../view/settings.ts";
import type { Context } from "../context.ts";

export interface ConfigSetOptions {
	readonly default?: boolean;
}

/** Writes a setting into the user's own file. */
export async function run(
	context: Context,
	[key = "", given]: readonly string[],
	options: ConfigSetOptions,
): Promise<void> {
	const { out, env, cwd } = context;
	if ((given === undefined) === (options.default !== true)) {
		throw new EngineError("usage", "weft config set takes a KEY and a VALUE, or a KEY and --default.");
	}
	const chosen = readChosen(key, given, cwd, env["HOME"] ?? "");
	const file = writeSetting(env, chosen.key, chosen.value);
	const { settings, origins } = context.readSettings();
	const written = { key: chosen.key, value: settings[chosen.key], origin: origins[chosen.key], file };
	if (out.json) return await out.document(written);
	await out.lines(renderWrittenSetting(written, chosen.value));
}
