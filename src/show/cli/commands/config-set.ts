import { EngineError } from "../../../base/error/engine-error.ts";
import { readChosen } from "../../../settings/resolve.ts";
import { writeSetting } from "../../../settings/write.ts";
import { renderWrittenSetting } from "../../../view/settings.ts";
import type { Call, CommandResult } from "../frame.ts";

/** Writes a setting to the user's own file. */
export function run({ context, args: [key = "", given], options }: Call<"config set">): CommandResult {
	const { env, cwd } = context;
	if ((given === undefined) !== options.default) {
		throw new EngineError("usage", "weft config set takes a KEY and a VALUE, or a KEY and --default.");
	}
	const chosen = readChosen(key, given, cwd, env["HOME"] ?? "");
	const file = writeSetting(env, chosen.key, chosen.value);
	const { settings, origins } = context.readSettings();
	const written = { key: chosen.key, value: settings[chosen.key], origin: origins[chosen.key], file };
	return { data: written, lines: () => renderWrittenSetting(written, chosen.value) };
}
