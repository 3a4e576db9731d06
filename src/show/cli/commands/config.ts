import { EngineError } from "../../../base/error/engine-error.ts";
import { readChosen } from "../../../settings/resolve.ts";
import { keepPassword, writeSetting } from "../../../settings/sources.ts";
import { distrustProject, isTrusted, trustedProjects, trustProject } from "../../../settings/trust.ts";
import {
	filesOfProject,
	renderSettings,
	renderTrust,
	renderTrusted,
	renderWrittenSetting,
	shownSetting,
	type TrustView,
	viewSettings,
} from "../../../view/settings.ts";
import { EXIT } from "../exit-code.ts";
import type { CommandModule } from "../frame.ts";

export const configCommand: CommandModule<"config"> = {
	run({ context, options: { origin } }) {
		const view = viewSettings(context.readSettings(), context.dataFolder());
		return {
			data: view,
			lines: (out) => renderSettings(view, out, { origin }),
			remarks: view.problems.map(({ message }) => `weft: ${message}`),
			code: view.problems.every(({ isSkipped }) => isSkipped) ? EXIT.ok : EXIT.usage,
		};
	},
};

/** Writes a setting to the user's own file. */
export const configSetCommand: CommandModule<"config set"> = {
	run({ context, args: [key = "", given], options }) {
		const { env, cwd } = context;
		if ((given === undefined) !== options.default) {
			throw new EngineError("usage", "weft config set takes a KEY and a VALUE, or a KEY and --default.");
		}
		const chosen = readChosen(key, given, cwd, env["HOME"] ?? "");
		const { value, passwordFile } = chosen.key === "fleet.url" ? keepPassword(env, chosen.value) : chosen;
		const file = writeSetting(env, chosen.key, value);
		const { settings, origins } = context.readSettings();
		const effective = shownSetting(chosen.key, settings[chosen.key]);
		const written = { key: chosen.key, value: effective, origin: origins[chosen.key], file, passwordFile };
		return { data: written, lines: () => renderWrittenSetting(written, value) };
	},
};

export const trustCommand: CommandModule<"trust"> = {
	run({ context, out, options: { undo, list } }) {
		const { root } = context;
		const home = context.ownHome();
		if (undo && list) throw new EngineError("usage", "Use --undo or --list, not both.");
		if (list) {
			const projects = trustedProjects(home);
			return { data: { projects }, lines: () => renderTrusted(projects, out, context.now()) };
		}
		const before = isTrusted(home, root);
		if (undo) distrustProject(home, root);
		else if (!before) trustProject(home, root, context.now());
		const [without, withFiles] = [context.settingsFor({ trusted: false }), context.settingsFor({ trusted: true })];
		const files = filesOfProject(without.ignored, withFiles);
		const view: TrustView = { project: root, trusted: !undo, changed: before === undo, files };
		if (!undo) for (const { message } of withFiles.problems) out.talk(`weft: ${message}`);
		return { data: view, lines: () => renderTrust(view) };
	},
};
