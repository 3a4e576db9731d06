/** How weft stands: mode, context, seals, log; and the settings, which a person with a screen can change here. */

import { EngineError } from "../../../base/error/engine-error.ts";
import { closest } from "../../../base/text/closest-word.ts";
import { KEYS } from "../../../settings/keys.ts";
import { MODE_MEANINGS, renderLiveReport, viewLiveReport } from "../../../view/live-status.ts";
import { PLAIN } from "../../../view/text-style.ts";
import { firstWord } from "./arguments.ts";
import type { Asked } from "./asked.ts";
import { showSettings } from "./settings.ts";

const MODES = KEYS.mode.choices;

export async function run(asked: Asked): Promise<string> {
	const { live } = asked;
	const mode = live.mode();
	const [word, rest] = firstWord(asked.args);
	switch (word) {
		case "":
		case "status": {
			const { engine, session } = live;
			const report = viewLiveReport({ engine, session, mode, lastRequest: live.lastRequest() });
			return renderLiveReport(report, PLAIN).join("\n");
		}
		case "mode":
			return rest === "" ? `mode ${mode}: ${MODE_MEANINGS[mode]}` : setMode(asked, rest);
		case "settings":
			return showSettings(asked);
		case "inspect":
			return (await import("./inspect.ts")).inspect(asked);
		default:
			throw new EngineError(
				"usage",
				`There is no '/weft ${word.slice(0, 40)}'. There are status, mode, settings and inspect.`,
			);
	}
}

function setMode({ live }: Asked, given: string): string {
	const mode = MODES.find((each) => each === given);
	if (!mode) {
		const meant = closest(given, MODES);
		throw new EngineError(
			"usage",
			`There is no mode '${given.slice(0, 40)}'.${meant ? ` Did you mean '${meant}'?` : ""} There are ${MODES.join(", ")}.`,
		);
	}
	live.setMode(mode);
	return `mode ${mode} for this session: ${MODE_MEANINGS[mode]}. The setting 'mode' decides for the next.`;
}
