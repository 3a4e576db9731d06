/**
 * Tells which lines of a rollout are copies of its parent's. Until about 0.160 the file of a fork, or of a sub-agent that got
 * its parent's history, held all of it: the parent's `session_meta` and every line after it, with the time of the copy. Only
 * the ids of turns show when they really ran.
 */
import { asName, asObject, asTime, type JsonObject } from "../../base/json/read.ts";

/** Codex writes the copy at once; the fork's first own turn begins later. */
const PAUSE_MS = 1_000;

export class ParentLines {
	#id: string | undefined;
	/** When the thread itself began, ms since the epoch. */
	#born = 0;
	#isOn = false;
	#time = 0;

	/** Call it for every line, in the order of the file. */
	has(line: JsonObject): boolean {
		const payload = asObject(line["payload"]) ?? {};
		const time = asTime(line["timestamp"]) ?? this.#time;
		const pause = time - this.#time;
		this.#time = time;
		if (line["type"] === "session_meta") {
			const id = asName(payload["id"]);
			if (this.#born > 0) this.#isOn = id !== undefined && id !== this.#id;
			else {
				this.#id = id;
				this.#born = timeInId(id) ?? asTime(payload["timestamp"]) ?? time;
			}
			return this.#isOn;
		}
		const turn = turnOf(line["type"], payload);
		if (turn !== undefined && this.#born > 0) this.#isOn = turn < this.#born;
		else if (pause > PAUSE_MS) this.#isOn = false;
		return this.#isOn;
	}
}

/** The start of the turn that a line opens. */
function turnOf(type: unknown, payload: JsonObject): number | undefined {
	const opens = type === "turn_context" || (type === "event_msg" && payload["type"] === "task_started");
	return opens ? timeInId(asName(payload["turn_id"])) : undefined;
}

/** A UUID of version 7 begins with its time in ms. */
function timeInId(id: string | undefined): number | undefined {
	const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/.exec(id ?? "") ?? [];
	return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}
