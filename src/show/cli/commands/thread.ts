/** What was asked, what holds, what is done and next: for a person at the terminal, and handed over to another agent. */

import { viewHandover } from "../../../view/handover.ts";
import { markThread, renderMarked, renderThreadView, type ThreadMarkWord, viewThread } from "../../../view/thread.ts";
import type { CommandModule } from "../frame.ts";
import { withNamedSession } from "../named-session.ts";

const FOOTER = "'weft show HANDLE' shows a source. 'weft thread pin ID' keeps an item, 'strike ID' removes it.";

export const threadCommand: CommandModule<"thread"> = {
	async run({ context, args: [given], options: { session: named, all } }) {
		const view = await withNamedSession(context, given ?? named, (engine, session) =>
			viewThread(engine, refOf(session), { all }),
		);
		return {
			data: view,
			lines: (out) => renderThreadView(view, out, { footer: FOOTER, ...(all && { chars: Number.POSITIVE_INFINITY }) }),
		};
	},
};

export const threadPinCommand: CommandModule<"thread pin"> = marking("pin");
export const threadStrikeCommand: CommandModule<"thread strike"> = marking("strike");
export const threadClearCommand: CommandModule<"thread clear"> = marking("clear");

function marking(mark: ThreadMarkWord): CommandModule<"thread pin" | "thread strike" | "thread clear"> {
	return {
		run({ context, engine, session, args: [id = ""] }) {
			const marked = markThread(engine, refOf(session), id, mark, context.now());
			return { data: marked, lines: (out) => renderMarked(marked, out) };
		},
	};
}

export const handoverCommand: CommandModule<"handover"> = {
	async run({ context, args: [given], options: { session: named, to, tokens } }) {
		const view = await withNamedSession(context, given ?? named, (engine, session) =>
			viewHandover(engine, refOf(session), { to, maxTokens: tokens }),
		);
		return { data: view, text: () => `${view.text}\n` };
	},
};

function refOf({ session, host }: { readonly session: string; readonly host: string }) {
	return { session, host };
}
