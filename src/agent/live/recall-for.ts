/** What a project remembers of the newest message of a session's user, as the block that stands before it. */
import { hostMessages } from "../../context/envelope/envelope.ts";
import type { Moment } from "../../context/moment.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import { diskRemarks, renderBlock, textInBlock } from "../../state/memory/recall/block.ts";
import type { RecallItem } from "../../state/memory/recall/item-index.ts";
import { type RecallOptions, type RecallResult, recall } from "../../state/memory/recall/recall.ts";
import { gatherItems, skillItems } from "../../state/memory/recall/recall-items.ts";
import { markOf } from "../../state/memory/session-mark.ts";
import type { MemoryScope, Skill } from "../../state/memory/skill/skill.ts";

export interface RecallFor extends Pick<RecallOptions, "rerank"> {
	/** The moment of the request, where the caller has it already. */
	readonly moment?: Moment | undefined;
	readonly skills?: readonly Skill[] | undefined;
	readonly scope?: MemoryScope | undefined;
	/** Said by commands of skills; stands in the block whatever is recalled. */
	readonly said?: readonly string[] | undefined;
	/** False: where items come from is not said. */
	readonly namesSources?: boolean | undefined;
}

export interface RecalledBlock {
	readonly text: string;
	/** Of the bullets of MEMORY.md in it. */
	readonly bullets: readonly string[];
}

/** Memory on the user's words. Undefined: nothing bears on them, or the model has it before its eyes already. */
export async function recallBlock(
	engine: Engine,
	input: RequestInput,
	words: string,
	options: RecallFor = {},
): Promise<RecalledBlock | undefined> {
	const moment = options.moment ?? engine.requests.moment(input);
	const { path, now } = moment;
	const { session, host, namesTools } = input;
	const wanted = SCOPES[options.scope ?? "relevant"];
	const all = [...itemsOf(engine, { session, host }, words), ...skillItems(options.skills ?? [], words)];
	// Until something has left the context, the session itself is all there, and more exact than its file.
	const items = all.filter(
		(item) => wanted.includes(item.source) && (path.opening !== undefined || !isOfSession(item, session)),
	);
	const recalled = await recall(items, words, {
		rerank: options.rerank,
		now,
		onDisk: diskRemarks(engine.project.root),
		isKnown: knownTo(engine, input, moment),
	});
	const said = (options.said ?? []).map((text, n) => ({ item: saidItem(text, n) }));
	const { namesSources } = options;
	const shown = { ...recalled, items: [...said, ...recalled.items] };
	const text = renderBlock(shown, { salt: session, namesTools, namesSources });
	const bullets = recalled.items.flatMap(({ item }) => (item.source === "memory" ? [item.id] : []));
	return text === undefined ? undefined : { text, bullets };
}

function saidItem(text: string, n: number): RecallItem {
	return { id: `hook ${n + 1}`, text, heading: "Skills", source: "workspace" };
}

const SCOPES: Readonly<Record<MemoryScope, readonly RecallItem["source"][]>> = {
	none: [],
	session: ["session"],
	relevant: ["session", "memory", "workspace", "history"],
	channel: ["session", "memory", "workspace", "history"],
};

/** For people: every item that was looked at, and why it would be shown or not. */
export function explainRecall(engine: Engine, text: string, now: number): Promise<RecallResult> {
	const items = itemsOf(engine, undefined, text);
	return recall(items, text, { now, onDisk: diskRemarks(engine.project.root) });
}

export function itemsOf(engine: Engine, session: RequestSession | undefined, text: string): readonly RecallItem[] {
	const { failures } = engine.state().state.failures;
	const { root, folder } = engine.project;
	return gatherItems({ root, folder, log: engine.log, session, text, resolved: failures.resolved });
}

type RequestSession = Pick<RequestInput, "session" | "host">;

/** In its own file, or told of it in HISTORY.md, where each line names its session. */
function isOfSession({ source, file, text }: RecallItem, session: string): boolean {
	if (source === "session") return isOwnFile(file, session);
	return source === "history" && text.includes(markOf(session));
}

export function isOwnFile(file: string | undefined, session: string): boolean {
	return file?.includes(session) ?? false;
}

/** Whether the model has an item before its eyes, word for word. One that was recalled and has been changed since is news. */
function knownTo(engine: Engine, input: RequestInput, moment: Moment): (item: RecallItem) => boolean {
	let shown: string | undefined;
	return (item) => {
		shown ??= JSON.stringify(hostMessages(engine.requests.envelopeNow({ ...input, decide: false }, moment)));
		const whole = (text: string) => JSON.stringify(text).slice(1, -1);
		return shown.includes(whole(item.text.trim())) || shown.includes(whole(textInBlock(item)));
	};
}
