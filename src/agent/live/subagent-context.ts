/** Puts the part of the memory that a parent asks for before its sub-agent's task. */
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { diskRemarks, renderBlock, wrapWords } from "../../state/memory/recall/block.ts";
import type { RecallItem } from "../../state/memory/recall/item-index.ts";
import { type RecalledItem, recall } from "../../state/memory/recall/recall.ts";
import type { MemoryScope } from "../../state/memory/skill/skill.ts";
import { isOwnFile, itemsOf, replacerOf } from "./recall-block.ts";

const BUDGET_BYTES = 6_000;
const LASTING: ReadonlySet<RecallItem["kind"]> = new Set(["constraint", "decision", "preference", "fact"]);

/** `relevant` adds what bears on the task, `session` all of SESSION.md, `channel` both and the lasting bullets of MEMORY.md. */
export async function taskWithContext(
	engine: Engine,
	session: SessionRef,
	task: string,
	{ memory, now }: { readonly memory: MemoryScope; readonly now: number },
): Promise<string> {
	if (memory === "none") return task;
	const items = itemsOf(engine, session, task);
	const own = items.filter(({ source, file }) => source === "session" && isOwnFile(file, session.session));
	const onDisk = diskRemarks(engine.project.root);
	const relevant =
		memory === "session"
			? []
			: (await recall(items, task, { now, onDisk, replacedBy: replacerOf(engine, session, task) })).items;
	const whole = memory === "relevant" ? [] : own;
	const lasting =
		memory === "channel" ? items.filter(({ source, kind }) => source === "memory" && LASTING.has(kind)) : [];
	const chosen = withinBudget(
		[...whole, ...lasting].map((item) => ({ item, remark: onDisk(item) })),
		relevant,
	);
	const block = renderBlock({ items: chosen, left: 0, considered: [], terms: [] }, { salt: session.session });
	return block === undefined ? task : wrapWords(block, task);
}

/** `first` before the others, no item twice. */
function withinBudget(items: readonly RecalledItem[], first: readonly RecalledItem[]): readonly RecalledItem[] {
	const seen = new Set<string>();
	let left = BUDGET_BYTES;
	return [...first, ...items].filter(({ item }) => {
		const bytes = Buffer.byteLength(item.text);
		if (seen.has(item.id) || bytes > left) return false;
		seen.add(item.id);
		left -= bytes;
		return true;
	});
}
