/** Registers weft's commands with Pi. A command that fails reports the failure; it never breaks the session. */

import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { errorText } from "../../../base/error/error-text.ts";
import type { LivePi } from "../live.ts";
import { PI_COMMANDS, type PiCommand } from "./catalogue.ts";
import { showAnswer, showError } from "./command-output.ts";

/** An event on Pi's bus, with the command's context: a command has run, so the status line may be out of date. */
export const COMMAND_RAN = "weft:command-ran";

export function registerCommands(pi: ExtensionAPI, live: () => LivePi | undefined): void {
	for (const command of PI_COMMANDS) {
		pi.registerCommand(command.name, {
			description: command.description,
			getArgumentCompletions: (prefix) => completeArguments(command, prefix),
			handler: (args, ctx) => handle(command, args, ctx, pi, live()),
		});
	}
}

async function handle(
	command: PiCommand,
	args: string,
	ctx: ExtensionCommandContext,
	pi: ExtensionAPI,
	live: LivePi | undefined,
): Promise<void> {
	try {
		if (!live) {
			const off = "weft is off here: 'weft config --origin' shows which setting turns it off.";
			return showError(ctx, command.name, off);
		}
		showAnswer(ctx, command.name, await command.run({ pi, ctx, live, args: args.trim() }));
		pi.events.emit(COMMAND_RAN, ctx);
	} catch (error) {
		showError(ctx, command.name, errorText(error));
	}
}

interface ArgumentCompletion {
	readonly value: string;
	readonly label: string;
	readonly description: string;
}

/** Completions at the cursor; null: none. Flags complete word by word, choices as a whole. */
export function completeArguments(
	{ choices = {}, flags = {} }: PiCommand,
	prefix: string,
): ArgumentCompletion[] | null {
	const start = prefix.lastIndexOf(" ") + 1;
	const [before, word] = [prefix.slice(0, start), prefix.slice(start)];
	const used = new Set(before.split(/\s+/));
	const found = [
		...Object.entries(choices)
			.filter(([value]) => value.startsWith(prefix))
			.map(([value, description]) => ({ value, label: value, description })),
		...Object.entries(flags)
			.filter(([flag]) => flag.startsWith(word) && !used.has(flag))
			.map(([flag, description]) => ({ value: before + flag, label: flag, description })),
	];
	return found.length > 0 ? found : null;
}
