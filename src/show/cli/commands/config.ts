import { renderSettings, viewSettings } from "../../../view/settings.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export interface ConfigOptions {
	readonly origin?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: ConfigOptions): Promise<ExitCode> {
	const { out } = context;
	const view = viewSettings(context.readSettings(), context.places().home);
	if (out.json) await out.document(view);
	else {
		await out.lines(renderSettings(view, out, { origin: options.origin ?? false }));
		for (const { message } of view.problems) out.talk(`weft: ${message}`);
	}
	return view.problems.length === 0 ? EXIT.ok : EXIT.usage;
}
