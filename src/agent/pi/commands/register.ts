/** Gives Pi our commands. A command that fails says so; it never breaks the session. */

import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { errorText } from "../../../base/error/error-text.ts";
import type { Live } from "../live.ts";
import { PI_COMMANDS, type PiCommand } from "./catalogue.ts";
import { completionsOf } from "./completions.ts";
import { complain, say } from "./say.ts";

/** On Pi's bus, with the command's context: a command has run, and what people are shown may have changed. */
export const COMMAND_RAN = "weft:command-ran";

export function registerCommands(pi: ExtensionAPI, live: () => Live | undefined): void {
	for (const command of PI_COMMANDS) {
		pi.registerCommand(command.name, {
			description: command.description,
			getArgumentCompletions: (prefix) => completionsOf(command, prefix),
			handler: (args, ctx) => handle(command, args, ctx, pi, live()),
		});
	}
}

async function handle(
	command: PiCommand,
	args: string,
	ctx: ExtensionCommandContext,
	pi: ExtensionAPI,
	live: Live | undefined,
): Promise<void> {
	try {
		if (!live)
			return complain(ctx, command.name, "weft is off here: 'weft config --origin' shows which setting turns it off.");
		say(ctx, command.name, await command.run({ pi, ctx, live, args: args.trim() }));
		pi.events.emit(COMMAND_RAN, ctx);
	} catch (error) {
		complain(ctx, command.name, errorText(error));
	}
}
