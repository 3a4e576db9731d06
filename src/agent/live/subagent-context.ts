/** What a sub-agent is told of the work before its task, as its parent asks for it. */
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { diskRemarks, renderBlock, wrapWords } from "../../state/memory/recall/block.ts";
import type { RecallItem } from "../../state/memory/recall/item-index.ts";
import { type RecalledItem, recall } from "../../state/memory/recall/recall.ts";
import type { MemoryScope } from "../../state/memory/skill/skill.ts";
import { isOwnFile, itemsOf } from "./recall-for.ts";

const BUDGET_BYTES = 6_000;
const LASTING: ReadonlySet<RecallItem["kind"]> = new Set(["constraint", "decision", "preference", "fact"]);

/**
 * The task, with the part of the memory that is asked for before it: `relevant` is what bears on the task, `session` what
 * SESSION.md says, `channel` both, and what MEMORY.md holds for good.
 */
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
	const relevant = memory === "session" ? [] : (await recall(items, task, { now, onDisk })).items;
	const whole = memory === "relevant" ? [] : own;
	const lasting =
		memory === "channel" ? items.filter(({ source, kind }) => source === "memory" && LASTING.has(kind)) : [];
	const told = within(
		[...whole, ...lasting].map((item) => ({ item, remark: onDisk(item) })),
		relevant,
	);
	const block = renderBlock({ items: told, left: 0, considered: [], terms: [] }, { salt: session.session });
	return block === undefined ? task : wrapWords(block, task);
}

/** What bears on the task first, nothing twice, within the budget. */
function within(items: readonly RecalledItem[], first: readonly RecalledItem[]): readonly RecalledItem[] {
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
