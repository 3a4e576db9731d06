/** `/weft`: the status, the mode and the settings; with a screen, the settings can be changed. */

import { EngineError } from "../../../base/error/engine-error.ts";
import { closest } from "../../../base/text/closest-word.ts";
import { KEYS } from "../../../settings/keys.ts";
import { MODE_MEANINGS, renderLiveReport, viewLiveReport } from "../../../view/live-status.ts";
import { PLAIN } from "../../../view/text-style.ts";
import type { CommandInput } from "./command-input.ts";
import { firstWord } from "./command-input.ts";
import { showSettings } from "./settings.ts";

const MODES = KEYS.mode.choices;

export async function run(input: CommandInput): Promise<string> {
	const { live } = input;
	const mode = live.mode();
	const [word, rest] = firstWord(input.args);
	switch (word) {
		case "":
		case "status": {
			const { engine, session } = live;
			const report = viewLiveReport({ engine, session, mode, lastRequest: live.lastRequest(), request: live.input() });
			return renderLiveReport(report, PLAIN).join("\n");
		}
		case "mode":
			return rest === "" ? `mode ${mode}: ${MODE_MEANINGS[mode]}` : setMode(input, rest);
		case "settings":
			return showSettings(input);
		case "inspect":
			return (await import("./inspect.ts")).inspect(input);
		default:
			throw new EngineError(
				"usage",
				`Unknown command '/weft ${word.slice(0, 40)}'. Choose status, mode, settings or inspect.`,
			);
	}
}

function setMode({ live }: CommandInput, given: string): string {
	const mode = MODES.find((each) => each === given);
	if (!mode) {
		const meant = closest(given, MODES);
		throw new EngineError(
			"usage",
			`Unknown mode '${given.slice(0, 40)}'.${meant ? ` Did you mean '${meant}'?` : ""} Choose one of: ${MODES.join(", ")}.`,
		);
	}
	live.setMode(mode);
	return `mode ${mode} for this session: ${MODE_MEANINGS[mode]}. The setting 'mode' decides for the next.`;
}
