/** What the database and the older files have in common. */
import { asNumber, asObject, type JsonObject } from "../../base/json/read.ts";
import { joinLast } from "../../log/store/payload-text.ts";
import type { CutRecord } from "../recorded/reader.ts";

/** From a session to the one that it works for. */
export type SessionNames = ReadonlyMap<string, string | undefined>;

const MAX_DEPTH = 20;

/** A sub-agent's session stands under the one that it works for. */
export function nameOf(id: string, parents: SessionNames): string {
	let root = id;
	for (let steps = 0; steps < MAX_DEPTH; steps++) {
		const parent = parents.get(root);
		if (parent === undefined || parent === root) break;
		root = parent;
	}
	return root === id ? id : `${root}/${id}`;
}

/** A row as JSON, its data as it stands there; `data` is what it says. */
export function rowRecord(columns: JsonObject, text: string, data: unknown): CutRecord {
	const head = JSON.stringify(columns);
	return { text: joinLast(head, "data", text), value: { ...(JSON.parse(head) as JsonObject), data } };
}

/** Whether nothing will be added to a message. */
export function isDone(message: JsonObject | undefined): boolean {
	return message?.["role"] !== "assistant" || asNumber(asObject(message["time"])?.["completed"]) !== undefined;
}
