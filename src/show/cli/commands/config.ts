import { renderSettings, viewSettings } from "../../../view/settings.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ context, options: { origin } }: Call<"config">): CommandResult {
	const view = viewSettings(context.readSettings(), context.places().home);
	return {
		data: view,
		lines: (out) => renderSettings(view, out, { origin }),
		remarks: view.problems.map(({ message }) => `weft: ${message}`),
		code: view.problems.length === 0 ? EXIT.ok : EXIT.usage,
	};
}
