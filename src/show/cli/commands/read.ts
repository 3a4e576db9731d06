/** A session for reading, at the terminal. */
import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { SessionConversation } from "../../../view/conversation.ts";
import { readConversation, renderConversation } from "../../../view/conversation-lines.ts";
import { SessionRequests } from "../../../view/requests.ts";
import type { CommandModule } from "../frame.ts";
import { withNamedSession } from "../named-session.ts";

export const readCommand: CommandModule<"read"> = {
	check({ options: { prompt, at, all } }) {
		if ([prompt !== undefined, at !== undefined, all].filter(Boolean).length > 1)
			throw new EngineError("usage", "Give one of --prompt, --at and --all.");
	},
	async run({ context, args: [given], options: { session: named, prompt, at, all, limit, full } }) {
		const from = at !== undefined ? { at } : prompt !== undefined ? { prompt } : all ? "start" : "last prompt";
		const view = await withNamedSession(context, given ?? named, (engine, state) => {
			const session = { session: state.session, host: state.host };
			const requests = new SessionRequests(engine.history, session, readPriceList(engine.settings.prices));
			const conversation = new SessionConversation(engine, session, requests);
			return readConversation(conversation, state, { from, limit: limit === 0 ? Number.POSITIVE_INFINITY : limit });
		});
		return {
			data: view,
			lines: (out) => renderConversation(view, out, { isFull: full }),
			remarks: view.next === null ? [] : [`There is more: weft read ${view.session} --at ${view.next}`],
		};
	},
};
