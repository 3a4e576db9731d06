/**
 * Long sessions in six languages: after each seal every rule and every newest value is sent, and nothing that was replaced. The goal
 * is 0 of each; the figures are what remains, and may only fall. `SCENE_FIGURES=1` names each lost and each stale sentence.
 */
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

interface Remaining {
	readonly scene: SceneWords;
	/** Sentences of all that were planted, over all seals. */
	readonly lost: number;
	readonly stale: number;
	/** Seals without a line of the newest request: it is longer than its room. */
	readonly newest: number;
}

const SCENES: readonly Remaining[] = [
	{ scene: ENGLISH, lost: 0, stale: 2, newest: 0 },
	{ scene: GERMAN, lost: 0, stale: 6, newest: 0 },
	{ scene: SPANISH, lost: 0, stale: 6, newest: 0 },
	{ scene: JAPANESE, lost: 0, stale: 5, newest: 0 },
	{ scene: CHINESE, lost: 0, stale: 8, newest: 0 },
	{ scene: KOREAN, lost: 0, stale: 8, newest: 0 },
];
const MIN_SEALS = 3;

interface SealFigures {
	readonly seals: number;
	readonly lost: ReadonlySet<string>;
	readonly stale: ReadonlySet<string>;
	readonly newestLost: number;
}

for (const { scene, ...remaining } of SCENES) {
	test(`${scene.language}: hardly a rule or newest value is lost at a seal, or sent after it was replaced`, async () => {
		const { seals, lost, stale, newestLost } = await played(scene);
		if (process.env["SCENE_FIGURES"]) {
			console.log(scene.language, { seals, lost: lost.size, stale: stale.size, newestLost });
			console.log([...lost].map((each) => `LOST  ${each}`).join("\n"));
			console.log([...stale].map((each) => `STALE ${each}`).join("\n"));
		}
		assert.ok(seals >= MIN_SEALS, `${seals} seals`);
		assert.ok(lost.size <= remaining.lost, `lost ${lost.size}: ${[...lost].join("; ")}`);
		assert.ok(stale.size <= remaining.stale, `stale ${stale.size}: ${[...stale].join("; ")}`);
		assert.ok(newestLost <= remaining.newest, `the newest request was cut in ${newestLost} seals`);
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
			const [seed = "", ...tail] = request.messages.map((message) => textOf(message));
			const sent = flat([seed, ...tail].join("\n"));
			if (process.env["SCENE_SEEDS"]) console.log(`===== seal ${seals}: ${Buffer.byteLength(seed)} bytes\n${seed}`);
			for (const [key, kind] of holds) if (!sent.includes(flat(key))) lost.add(`${kind}: ${key}`);
			for (const { key, kind, by } of ends) {
				const current = flat(seed).replaceAll(flat(by ?? ""), "");
				if (isCurrent(current, flat(key))) stale.add(`${kind}: ${key}`);
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

/** Results count too: a refused call has the user's words in it. */
function textOf(message: Readonly<Record<string, unknown>>): string {
	const view = viewMessage({ form: "pi", role: String(message["role"]), raw: message });
	const results = view.blocks.map((block) => (block.kind === "result" ? block.text : ""));
	return [messageText(view), ...results].join("\n");
}

/** Words that name later ones are not shown as current. */
function isCurrent(text: string, key: string): boolean {
	for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + 1)) {
		if (!/^[^[]{0,200}\[but see /.test(text.slice(at + key.length, at + key.length + 220))) return true;
	}
	return false;
}

function flat(text: string): string {
	return text.replaceAll(/\s+/g, " ");
}
