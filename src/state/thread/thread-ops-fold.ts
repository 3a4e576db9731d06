/** Takes a model's operations into the thread. They were checked before they were recorded; here they are bounded. */
import { asList, asObject } from "../../base/json/read.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { setKey } from "../../log/fold/keyed.ts";
import { textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { addRemark } from "./remarks.ts";
import type { ClosedItem, SessionThread, WrittenItem } from "./thread.ts";

const MAX_WRITTEN = 60;
const MAX_CLOSED = 200;
export const MAX_WRITTEN_CHARS = 300;
const WRITTEN_KINDS: ReadonlySet<string> = new Set(["decision", "open", "finding", "dead-end"]);

export function applyThreadOps(thread: SessionThread, record: EventRecord): void {
	const { payload, seq } = record;
	const by = textIn(payload, "by") ?? "model";
	for (const given of asList(payload["ops"])) {
		const op = asObject(given) ?? {};
		const [item, handle] = [textIn(op, "item"), textIn(op, "source") ?? ""];
		if (item !== null) close(thread, item, { handle, seq, by });
		const [kind, words] = [textIn(op, "kind") ?? "", textIn(op, "text") ?? ""];
		if (words !== "") add(thread, { kind, text: cutWithEllipsis(words, MAX_WRITTEN_CHARS), handle, seq, by });
	}
	const note = textIn(payload, "note");
	if (note !== null) thread.note = { seq, handle: handleOf(record), text: note, by };
}

function add(
	thread: SessionThread,
	{ kind, text, handle, seq, by }: Omit<WrittenItem, "kind"> & { kind: string },
): void {
	if (kind === "rule" || kind === "correction") {
		// What the words themselves say ranks above who found them.
		if (thread.remarks.some((each) => each.text === text)) return;
		addRemark(thread, { kind, handle, seq, text, replacedBy: null, foundBy: by });
	} else if (WRITTEN_KINDS.has(kind) && !thread.written.some((each) => each.kind === kind && each.text === text)) {
		thread.written.push({ kind: kind as WrittenItem["kind"], text, handle, seq, by });
		if (thread.written.length > MAX_WRITTEN) thread.written.shift();
	}
}

function close({ closed }: SessionThread, item: string, how: ClosedItem): void {
	delete closed[item];
	setKey<ClosedItem>(closed, item, how);
	const [oldest] = Object.keys(closed);
	if (oldest !== undefined && Object.keys(closed).length > MAX_CLOSED) delete closed[oldest];
}
