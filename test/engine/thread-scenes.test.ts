/**
 * Long sessions in six languages: after each seal every rule and every newest value is sent, and nothing that was replaced is sent
 * as current.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { messageText, viewMessage } from "../../src/message/view.ts";
import { eventsOf, OF, type SessionWord } from "../rig/events.ts";
import { SCENES_IN_PASSING } from "../rig/scene/in-passing/scenes.ts";
import { longSession, wordsOf } from "../rig/scene/long-session.ts";
import { NOTHING_LOST, PlantedWatch } from "../rig/scene/planted-watch.ts";
import type { SceneWords } from "../rig/scene/scene-words.ts";
import { SCENES } from "../rig/scene/scenes.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const MIN_SEALS = 3;

/** The smallest seeds, in the language whose words are the longest. */
const THRIFTY = SCENES.filter(({ language }) => language === "German").map((scene) => ({ scene, profile: "thrifty" }));

for (const { scene, profile } of [...SCENES.map((each) => ({ scene: each, profile: "balanced" })), ...THRIFTY]) {
	const title = `${scene.language}, ${profile}: no rule or newest value is lost at a seal, or sent after it was replaced`;
	test(title, async () => {
		const watch = await played(scene, profile);
		assert.ok(watch.seals >= MIN_SEALS, `${watch.seals} seals`);
		assert.deepEqual(watch.figures, NOTHING_LOST);
	});
}

/** Of what was replaced: no form of these words was made for a recogniser, so some replacements are not seen. */
const MAX_STALE_SHARE = 0.25;

for (const scene of SCENES_IN_PASSING) {
	test(`${scene.language}: no rule or newest value is lost at a seal, and few old ones are shown as current`, async () => {
		const { seals, figures } = await played(scene, "balanced");
		const { stale, ...lost } = figures;
		assert.ok(seals >= MIN_SEALS, `${seals} seals`);
		assert.deepEqual(lost, { lost: [], newestLost: 0 });
		const replaced = scene.planted.filter(({ later }) => later !== undefined).length;
		assert.ok(stale.length <= replaced * MAX_STALE_SHARE, stale.join("\n"));
	});
}

async function played(scene: SceneWords, profile: string): Promise<PlantedWatch> {
	using project = new TemporaryProject();
	const { folder: cwd, home } = project;
	const engine = openEngine({ cwd, home, host: OF.host, env: { WEFT_PROFILE: profile }, now: () => 1_000 });
	const watch = new PlantedWatch();
	const words: SessionWord[] = [];
	try {
		for (const round of longSession(scene)) {
			words.push(...wordsOf(round));
			watch.say(round);
			engine.record(eventsOf(words, cwd));
			const request = await engine.assemble({ ...OF, mode: "woven", window: 200_000 });
			if (!request.reasons.some((reason) => reason.startsWith("sealed"))) continue;
			const [seed = "", ...tail] = request.messages.map((message) => textOf(message));
			if (process.env["SCENE_SEEDS"]) console.log(`===== seal: ${Buffer.byteLength(seed)} bytes\n${seed}`);
			watch.judge({ seed, tail: tail.join("\n") });
		}
	} finally {
		engine.close();
	}
	return watch;
}

/** Results count too: a refused call has the user's words in it. */
function textOf(message: Readonly<Record<string, unknown>>): string {
	const view = viewMessage({ form: "pi", role: String(message["role"]), raw: message });
	const results = view.blocks.map((block) => (block.kind === "result" ? block.text : ""));
	return [messageText(view), ...results].join("\n");
}
