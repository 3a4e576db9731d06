import { EngineError } from "../../../base/error/engine-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import { renderRequest, requestMarkdown, viewRequest } from "../../../view/request.ts";
import { SessionRequests } from "../../../view/requests.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { pickSession } from "../pick-session.ts";

export interface RequestOptions {
	readonly session?: string;
	readonly format?: string;
}

export async function run(context: Context, [given]: readonly string[], options: RequestOptions): Promise<void> {
	const wanted = wholeNumber("N", given, 1);
	const format = oneOf("--format", options.format, ["text", "md"]) ?? "text";
	const { out } = context;
	if (format === "md" && out.json) throw new EngineError("usage", "--format md and --json do not go together.");
	const engine = context.openExisting();
	try {
		const { session, host } = pickSession(engine.log, options.session);
		const of = { session, host };
		const requests = new SessionRequests(engine.history, of, readPriceList(engine.settings.prices));
		const n = wanted ?? requests.rows().length;
		if (format === "md") return await out.text(await maskSecrets(requestMarkdown(engine, requests, of, n)));
		const view = viewRequest(engine, requests, of, n);
		if (out.json) return await out.document(view);
		await out.lines(renderRequest(view, out));
	} finally {
		engine.close();
	}
}
