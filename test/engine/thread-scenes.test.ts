/** Long sessions in six languages: after each seal every rule and every newest value is sent, and nothing that was replaced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { messageText, viewMessage } from "../../src/message/view.ts";
import { proseOf } from "../../src/state/thread/user-prose.ts";
import { eventsOf, OF, type SessionWord } from "../rig/events.ts";
import { CHINESE } from "../rig/scene/chinese.ts";
import { ENGLISH } from "../rig/scene/english.ts";
import { GERMAN } from "../rig/scene/german.ts";
import { JAPANESE } from "../rig/scene/japanese.ts";
import { KOREAN } from "../rig/scene/korean.ts";
import { longSession, type PlantedWords, SKILL_TEXT } from "../rig/scene/long-session.ts";
import type { SceneWords } from "../rig/scene/scene-words.ts";
import { SPANISH } from "../rig/scene/spanish.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const SCENES: readonly SceneWords[] = [ENGLISH, GERMAN, SPANISH, JAPANESE, CHINESE, KOREAN];
const MIN_SEALS = 3;

interface SealFigures {
	readonly seals: number;
	readonly lost: ReadonlySet<string>;
	readonly stale: ReadonlySet<string>;
	readonly newestLost: number;
}

for (const scene of SCENES) {
	test(`${scene.language}: no rule and no newest value is lost at a seal, and nothing stale is sent as current`, async () => {
		const { seals, lost, stale, newestLost } = await played(scene);
		if (process.env["SCENE_FIGURES"]) {
			console.log(scene.language, { seals, lost: lost.size, stale: stale.size, newestLost });
			console.log([...lost].map((each) => `LOST  ${each}`).join("\n"));
			console.log([...stale].map((each) => `STALE ${each}`).join("\n"));
		}
		assert.ok(seals >= MIN_SEALS, `${seals} seals`);
		assert.deepEqual({ lost: [...lost], stale: [...stale], newestLost }, { lost: [], stale: [], newestLost: 0 });
	});
}

async function played(scene: SceneWords): Promise<SealFigures> {
	using project = new TemporaryProject();
	const { folder: cwd, home } = project;
	const engine = openEngine({ cwd, home, host: OF.host, env: {}, now: () => 1_000 });
	const [lost, stale] = [new Set<string>(), new Set<string>()];
	const holds = new Map<string, string>();
	const ends: PlantedWords[] = [];
	const words: SessionWord[] = [];
	let [seals, newestLost] = [0, 0];
	try {
		for (const round of longSession(scene)) {
			words.push(...round.words);
			for (const { kind, key } of round.holds) holds.set(key, kind);
			for (const { key } of round.ends) holds.delete(key);
			ends.push(...round.ends);
			engine.record(eventsOf(words, cwd));
			const request = await engine.assemble({ ...OF, mode: "woven", window: 200_000 });
			if (!request.reasons.some((reason) => reason.startsWith("sealed"))) continue;
			seals++;
			const [seed = "", ...tail] = request.messages.map((message) =>
				messageText(viewMessage({ form: "pi", role: String(message["role"]), raw: message })),
			);
			const sent = flat([seed, ...tail].join("\n"));
			if (process.env["SCENE_SEEDS"]) console.log(`===== seal ${seals}: ${Buffer.byteLength(seed)} bytes\n${seed}`);
			for (const [key, kind] of holds) if (!sent.includes(flat(key))) lost.add(`${kind}: ${key}`);
			for (const { key, kind, by } of ends) {
				if (
					flat(seed)
						.replaceAll(flat(by ?? ""), "")
						.includes(flat(key))
				)
					stale.add(`${kind}: ${key}`);
			}
			// A paste is cut; the user's own lines are not.
			if (
				proseOf(round.newest)
					.split("\n")
					.some((line) => !sent.includes(flat(line)))
			)
				newestLost++;
			assert.ok(!seed.includes(SKILL_TEXT), "a skill's text is not the user's");
		}
	} finally {
		engine.close();
	}
	return { seals, lost, stale, newestLost };
}

function flat(text: string): string {
	return text.replaceAll(/\s+/g, " ");
}
