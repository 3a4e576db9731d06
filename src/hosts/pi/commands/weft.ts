/** How weft stands: mode, context, seals, log; and the settings, which a person with a screen can change here. */

import { EngineError } from "../../../error/engine-error.ts";
import type { Payload } from "../../../event/types.ts";
import { KEYS, type Settings } from "../../../settings/keys.ts";
import { formatBytes, formatCount, plural } from "../../../text/bytes.ts";
import { closest } from "../../../text/closest.ts";
import { renderTable } from "../../../text/table.ts";
import { diskUse } from "../../../view/disk.ts";
import { firstWord } from "./arguments.ts";
import { type Asked, WEFT_CHOICES } from "./asked.ts";
import { showSettings } from "./settings.ts";

const MODES = KEYS.mode.choices;

export async function run(asked: Asked): Promise<string> {
	const [word, rest] = firstWord(asked.args);
	switch (word) {
		case "":
		case "status":
			return status(asked);
		case "mode":
			return rest === "" ? `mode ${asked.live.mode()}: ${meaning(asked.live.mode())}` : setMode(asked, rest);
		case "settings":
			return showSettings(asked);
		default:
			throw new EngineError("usage", `There is no '/weft ${word.slice(0, 40)}'. There are status, mode and settings.`);
	}
}

function status({ live }: Asked): string {
	const { engine, session } = live;
	const { messages, nodes, depth } = engine.history.stats(session);
	const last = live.lastRequest();
	const seals = [...live.engine.log.read({ ...live.session, types: ["Seal"] })];
	const newest = seals.at(-1)?.payload as Payload<"Seal"> | undefined;
	const blocks = engine
		.state()
		.state.verdicts.recent.filter((each) => each.session === session.session && each.verdict === "block");
	const rows = [
		["mode", `${live.mode()}: ${meaning(live.mode())}`],
		["session", `${session.session}, ${plural(messages, "message")}`],
		[
			"context",
			last
				? `${formatCount(last.tokens)} of at most ${formatCount(last.ceiling)} tokens in ${plural(last.messages, "message")}`
				: "no request yet",
		],
		[
			"seals",
			newest
				? `${seals.length}, the last from ${formatCount(newest.tokensBefore)} to ${formatCount(newest.tokensAfter)} tokens (${newest.why})`
				: "none yet",
		],
		["history", `${plural(nodes, "summary", "summaries")}, depth ${depth}`],
		["guard", blocks.length === 0 ? "nothing blocked lately" : `${plural(blocks.length, "call")} blocked lately`],
		["log", `${engine.log.path} (${plural(engine.log.count(), "event")}, ${formatBytes(diskUse(engine.log).total)})`],
	];
	return renderTable([{ title: "" }, { title: "" }], rows, { style: "bare" }).join("\n");
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
	return `mode ${mode} for this session: ${meaning(mode)}. The setting 'mode' decides for the next.`;
}

function meaning(mode: Settings["mode"]): string {
	return WEFT_CHOICES[`mode ${mode}`];
}
