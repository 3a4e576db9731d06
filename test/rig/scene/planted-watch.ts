/** Watches the planted sentences of a long session: which of them a seal lost, and which it sent after they were replaced. */
import { proseOf } from "../../../src/state/thread/user-prose.ts";
import { newestIn, type PlantedWords, type SceneRound, SKILL_TEXT } from "./long-session.ts";

export interface SentAfterSeal {
	/** The opening that replaced the messages that left. */
	readonly seed: string;
	/** The messages after it. */
	readonly tail: string;
	/** The seed may be older than the newest message: what that replaces is true in the seed. */
	readonly isSeedOlder?: boolean;
}

export class PlantedWatch {
	readonly lost = new Set<string>();
	readonly stale = new Set<string>();
	/** Seals without a line of the newest request. */
	newestLost = 0;
	seals = 0;
	readonly #holds = new Map<string, PlantedWords["kind"]>();
	readonly #ends: PlantedWords[] = [];
	#newest = "";

	say(round: SceneRound): void {
		const { holds, ends } = round;
		for (const { kind, key } of holds) this.#holds.set(key, kind);
		for (const { key } of ends) this.#holds.delete(key);
		this.#ends.push(...ends);
		this.#newest = newestIn(round);
	}

	/** A request without planted words. */
	ask(text: string): void {
		this.#newest = text;
	}

	judge({ seed, tail, isSeedOlder = false }: SentAfterSeal): void {
		this.seals++;
		const sent = flat(`${seed}\n${tail}`);
		// A mark may follow each of several sentences.
		const words = bare(`${seed}\n${tail}`);
		for (const [key, kind] of this.#holds) if (!words.includes(bare(key))) this.lost.add(`${kind}: ${key}`);
		for (const { key, kind, by } of this.#ends) {
			if (isSeedOlder && by !== undefined && flat(tail).includes(flat(by))) continue;
			if (isCurrent(flat(seed).replaceAll(flat(by ?? ""), ""), flat(key))) this.stale.add(`${kind}: ${key}`);
		}
		// A paste is cut; the user's own lines are not.
		const lines = proseOf(this.#newest).split("\n");
		if (lines.some((line) => !sent.includes(flat(line)))) this.newestLost++;
		if (seed.includes(SKILL_TEXT)) this.stale.add(`a skill's text: ${SKILL_TEXT}`);
	}

	get figures() {
		const { lost, stale, newestLost } = this;
		return { lost: [...lost], stale: [...stale], newestLost };
	}
}

export const NOTHING_LOST = { lost: [], stale: [], newestLost: 0 };

/** Words that name later ones are not shown as current. */
function isCurrent(text: string, key: string): boolean {
	for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + 1)) {
		if (!/^[^[]{0,200}\[but see /.test(text.slice(at + key.length, at + key.length + 220))) return true;
	}
	return false;
}

function bare(text: string): string {
	return text.replaceAll(/ \[but see [\w-]+\]/g, "").replaceAll(/\s+/g, "");
}

function flat(text: string): string {
	return text.replaceAll(/\s+/g, " ");
}
