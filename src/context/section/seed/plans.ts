/** What is planned and not done: the newest checklist that was said, and those in documents that were worked on. */
import { newestFirst } from "../../../fold/keyed.ts";
import type { SessionSaid } from "../../../session/said-fold.ts";
import { checklist } from "../../../session/said-fold.ts";
import type { FileSource } from "../../../work/file-source.ts";
import type { TouchState } from "../../../work/touch-fold.ts";
import { clip, makeSection, type Section } from "./section.ts";

const DOCUMENT = /\.(?:md|markdown|txt|org|rst)$/i;
const MOST_DOCUMENTS = 4;

export function plansSection(
	said: SessionSaid | undefined,
	files: FileSource,
	touches: TouchState,
	budget: number,
): Section | undefined {
	const plans: { name: string; text: string; handle: string }[] = [];
	if (said?.plan) {
		const { text, handle } = said.plan;
		plans.push({ name: `said in ${handle}`, text, handle });
	}
	const documents = newestFirst(touches.touches).filter(([path]) => DOCUMENT.test(path));
	for (const [path] of documents.take(MOST_DOCUMENTS)) {
		const content = files.read(path);
		const list = content.kind === "text" ? checklist(content.text) : undefined;
		if (list !== undefined) plans.push({ name: path, text: list, handle: path });
	}
	if (plans.length === 0) return undefined;
	const each = budget / plans.length;
	const bodies = plans.map(({ name, text, handle }) => `Plan (${name}):\n${clip(text, each, handle)}`);
	return makeSection("plans", ["## Open plans", ...bodies].join("\n"), 0);
}
