/** Recall for the user's newest message: renders the items of memory that bear on it as a block to put before it. */
import { hostMessages } from "../../context/envelope/envelope.ts";
import type { Moment } from "../../context/moment.ts";
import type { ProjectState } from "../../context/project-state.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { diskRemarks, renderBlock, textInBlock } from "../../state/memory/recall/block.ts";
import type { RecallItem } from "../../state/memory/recall/item-index.ts";
import { type RecallOptions, type RecallResult, recall } from "../../state/memory/recall/recall.ts";
import { gatherItems, skillItems } from "../../state/memory/recall/recall-items.ts";
import { markOf } from "../../state/memory/session-mark.ts";
import type { MemoryScope, Skill } from "../../state/memory/skill/skill.ts";
import { EVERYONE, type Scope } from "../../state/session/scope.ts";

export interface RecallBlockOptions extends Pick<RecallOptions, "rerank"> {
	/** The moment of the request, if the caller has it already. */
	readonly moment?: Moment | undefined;
	readonly skills?: readonly Skill[] | undefined;
	readonly scope?: MemoryScope | undefined;
	/** Output of skills' commands; always in the block. */
	readonly skillOutput?: readonly string[] | undefined;
	/** False: the block does not name the items' sources. */
	readonly namesSources?: boolean | undefined;
}

export interface RecalledBlock {
	readonly text: string;
	/** Ids of its bullets of MEMORY.md. */
	readonly bullets: readonly string[];
}

/** Undefined: nothing bears on the words, or the model's context holds it already. */
export async function recallBlock(
	engine: Engine,
	input: RequestInput,
	words: string,
	options: RecallBlockOptions = {},
): Promise<RecalledBlock | undefined> {
	const moment = options.moment ?? engine.requests.moment(input);
	const { path, now } = moment;
	const { session, host, namesTools } = input;
	const wanted = SCOPES[options.scope ?? "relevant"];
	const all = [...itemsOf(engine, { session, host }, words), ...skillItems(options.skills ?? [], words)];
	// Before the first seal the context holds the whole session, more exactly than its memory file.
	const items = all.filter(
		(item) => wanted.includes(item.source) && (path.opening !== undefined || !isOfSession(item, session)),
	);
	const recalled = await recall(items, words, {
		rerank: options.rerank,
		now,
		onDisk: diskRemarks(engine.project.root),
		isKnown: knownTo(engine, input, moment),
	});
	const output = (options.skillOutput ?? []).map((text, n) => ({ item: skillOutputItem(text, n) }));
	const { namesSources } = options;
	const shown = { ...recalled, items: [...output, ...recalled.items] };
	const text = renderBlock(shown, { salt: session, namesTools, namesSources });
	const bullets = recalled.items.flatMap(({ item }) => (item.source === "memory" ? [item.id] : []));
	return text === undefined ? undefined : { text, bullets };
}

function skillOutputItem(text: string, n: number): RecallItem {
	return { id: `hook ${n + 1}`, text, heading: "Skills", source: "workspace" };
}

const SCOPES: Readonly<Record<MemoryScope, readonly RecallItem["source"][]>> = {
	none: [],
	session: ["session"],
	relevant: ["session", "memory", "workspace", "history"],
	channel: ["session", "memory", "workspace", "history"],
};

/** For people: every item considered, and why the block would show it or not. */
export function explainRecall(engine: Engine, text: string, now: number): Promise<RecallResult> {
	const items = gather(engine, text, { session: undefined, scope: EVERYONE, state: engine.state().state });
	return recall(items, text, { now, onDisk: diskRemarks(engine.project.root) });
}

/** All items of the project, for the user at the machine. */
export function itemsForUser(engine: Engine, text: string): readonly RecallItem[] {
	return gather(engine, text, { session: undefined, scope: EVERYONE, state: engine.state().state });
}

export function itemsOf(engine: Engine, session: SessionRef, text: string): readonly RecallItem[] {
	return gather(engine, text, { session, scope: engine.scope(session), state: engine.stateFor(session).state });
}

interface Asker {
	readonly session: SessionRef | undefined;
	readonly scope: Scope;
	readonly state: ProjectState;
}

function gather(engine: Engine, text: string, { session, scope, state }: Asker): readonly RecallItem[] {
	const { root, folder } = engine.project;
	return gatherItems({
		root,
		folder,
		log: engine.log,
		session,
		scope,
		text,
		resolved: state.failures.failures.resolved,
	});
}

/** In the session's own file, or on its line of HISTORY.md, which names it. */
function isOfSession({ source, file, text }: RecallItem, session: string): boolean {
	if (source === "session") return isOwnFile(file, session);
	return source === "history" && text.includes(markOf(session));
}

export function isOwnFile(file: string | undefined, session: string): boolean {
	return file?.includes(session) ?? false;
}

/** Whether the context holds an item word for word. An item that changed since its last recall is news. */
function knownTo(engine: Engine, input: RequestInput, moment: Moment): (item: RecallItem) => boolean {
	let shown: string | undefined;
	return (item) => {
		shown ??= JSON.stringify(hostMessages(engine.requests.envelopeNow({ ...input, decide: false }, moment)));
		const whole = (text: string) => JSON.stringify(text).slice(1, -1);
		return shown.includes(whole(item.text.trim())) || shown.includes(whole(textInBlock(item)));
	};
}
