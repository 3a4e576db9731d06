/** A prompt with a whole file pasted into it: its beginning and its end stay as they were typed, an outline stands between. */
import type { InputEvent, InputEventResult } from "@earendil-works/pi-coding-agent";
import { stubLarge } from "../../history/large.ts";
import { sliceUnits } from "../../text/truncate.ts";
import type { LiveSession } from "./live-session.ts";

/** Where people write what they want of it. */
const KEPT_CHARS = 2_000;

export function stubPasted({ text, images }: InputEvent, live: LiveSession): InputEventResult | undefined {
	const { log, settings } = live.engine;
	if (live.mode() === "off" || settings.policyMode === "report") return undefined;
	const large = stubLarge(text, {
		store: (bytes) => log.putBlob(bytes),
		thresholdTokens: settings.largFileThresholdTokens,
	});
	if (!large.stubbed) return undefined;
	// The event that keeps the bytes for good: Pi's own entry will hold only what is returned here.
	live.engine.record([
		{ type: "Custom", ...live.session, payload: { name: "pasted", data: { chars: text.length }, blob: large.hash } },
	]);
	const head = sliceUnits(text, KEPT_CHARS);
	const tail = text.slice(-KEPT_CHARS).toWellFormed();
	return { action: "transform", text: [head, large.text, tail].join("\n\n"), ...(images ? { images } : {}) };
}
