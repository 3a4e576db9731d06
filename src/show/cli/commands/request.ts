import { EngineError } from "../../../base/error/engine-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import { renderRequest, requestMarkdown, viewRequest } from "../../../view/request.ts";
import { SessionRequests } from "../../../view/requests.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";
import { readWholeNumber } from "../options.ts";

export function check({ out, args: [given], options }: CheckCall<"request">): void {
	readWholeNumber("N", given, 1);
	if (options.format === "md" && out.json) throw new EngineError("usage", "--format md and --json do not go together.");
}

export function run({ engine, session: { session, host }, args: [given], options }: Call<"request">): CommandResult {
	const of = { session, host };
	const requests = new SessionRequests(engine.history, of, readPriceList(engine.settings.prices));
	const n = readWholeNumber("N", given, 1) ?? requests.rows().length;
	if (options.format === "md") return { data: null, text: () => maskSecrets(requestMarkdown(engine, requests, of, n)) };
	const view = viewRequest(engine, requests, of, n);
	return { data: view, lines: (out) => renderRequest(view, out) };
}
