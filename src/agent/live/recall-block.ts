/** Recall for the user's newest message: renders the items of memory that bear on it as a block to put before it. */
import { asText } from "../../base/json/read.ts";
import { hostMessages } from "../../context/envelope/envelope.ts";
import type { Moment } from "../../context/moment.ts";
import type { Path } from "../../context/path.ts";
import type { ProjectState } from "../../context/project-state.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import { keyOfText } from "../../state/memory/document.ts";
import { asksAboutPast } from "../../state/memory/durable/lasting-cues.ts";
import { keyOf, memoryFile, memoryHomes, sessionFile } from "../../state/memory/memory-files.ts";
import { diskRemarks, renderBlock } from "../../state/memory/recall/block.ts";
import type { RecallItem } from "../../state/memory/recall/item-index.ts";
import { type RecallOptions, type RecallResult, recall } from "../../state/memory/recall/recall.ts";
import { gatherItems, skillItems } from "../../state/memory/recall/recall-items.ts";
import {
	type FittingWords,
	fittingWords,
	givenAt,
	isStanding,
	type RememberedWords,
} from "../../state/memory/remembered-fold.ts";
import { markOf, withoutMark } from "../../state/memory/session-mark.ts";
import type { MemoryScope, Skill } from "../../state/memory/skill/skill.ts";
import { MemoryStore } from "../../state/memory/store.ts";
import { supersededInScope } from "../../state/memory/superseded-in-scope.ts";
import { EVERYONE, type Scope } from "../../state/session/scope.ts";
import { ContextWords, textsIn } from "./context-words.ts";

export interface RecallBlockOptions extends Pick<RecallOptions, "rerank"> {
	/** The moment of the request, if the caller has it already. */
	readonly moment?: Moment | undefined;
	readonly skills?: readonly Skill[] | undefined;
	readonly scope?: MemoryScope | undefined;
	/** Output of skills' commands; always in the block. */
	readonly skillOutput?: readonly string[] | undefined;
	/** The model asks: it gets what bears on its words, and no rules that open a session. */
	readonly isAsked?: boolean | undefined;
	/** False: the block does not name the items' sources. */
	readonly namesSources?: boolean | undefined;
}

export interface RecalledBlock {
	readonly text: string;
	/** Ids of its bullets of MEMORY.md that the words certainly speak of. */
	readonly bullets: readonly string[];
	/** It holds the project's rules and preferences. */
	readonly isOpening: boolean;
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
	const context = new GivenContext(engine, input, moment);
	// Before the first seal the session's own words are all in the context.
	const isWhole = path.opening === undefined;
	const all = [...itemsOf(engine, { session, host }, words, { isWhole }), ...skillItems(options.skills ?? [], words)];
	const isOwnState = ownStateFilter(engine, { session, host });
	const items = all.filter(
		(item) => wanted.includes(item.source) && !isOwnState(item) && (!isWhole || !isOfSession(item, session)),
	);
	const recalled = await recall(items, words, {
		rerank: options.rerank,
		now,
		onDisk: diskRemarks(engine.project.root),
		isKnown: ({ text }) => context.words.holds(withoutMark(text)),
		replacedBy: replacerOf(engine, { session, host }, words),
	});
	const output = (options.skillOutput ?? []).map((text, n) => ({ item: skillOutputItem(text, n) }));
	const { namesSources } = options;
	const remembered = wanted.includes("memory") && !options.isAsked ? openingLines(engine, path, context) : undefined;
	const opening = new Set([...(remembered?.own ?? []), ...(remembered?.noted ?? [])].map(({ id }) => id));
	const others = recalled.items.filter(({ item }) => !opening.has(item.id));
	const shown = { ...recalled, items: [...output, ...others] };
	const memoryOf = engine.scope({ session, host }).homes === undefined ? "project" : "conversation";
	const text = renderBlock(shown, { salt: session, namesTools, namesSources, remembered, memoryOf });
	const certain = new Set(recalled.considered.flatMap((each) => (each.evidence >= CERTAIN ? [each.item] : [])));
	const bullets = recalled.items.flatMap(({ item }) =>
		item.source === "memory" && certain.has(item) ? [item.id] : [],
	);
	return text === undefined ? undefined : { text, bullets, isOpening: opening.size > 0 };
}

/**
 * The rules and preferences that the context lacks: at the beginning of a session, and after a compaction whose text does not hold
 * them. Words that the session itself said are in its context until something leaves.
 */
function openingLines(engine: Engine, { session, opening }: Path, context: GivenContext): FittingWords | undefined {
	const { remembered } = engine.stateFor(session).state;
	const given = givenAt(remembered, session);
	if (given !== undefined && (opening === undefined || opening.place < given)) return undefined;
	const isSaidHere = (saidIn: string | null) => opening === undefined && saidIn === sessionKey(session);
	const words = [...rememberedElsewhere(engine, session), ...remembered.words];
	return fittingWords({ words }, ({ saidIn, text }) => isSaidHere(saidIn) || context.words.holds(text));
}

/** Of the owner's other conversations, each with a MEMORY.md of its own; the state of a session with an owner has only its own. */
function rememberedElsewhere(engine: Engine, session: SessionRef): readonly RememberedWords[] {
	const { homes } = engine.scope(session);
	if (homes === undefined) return [];
	const store = new MemoryStore(engine.log);
	const others = homes.filter((of) => sessionKey(of) !== sessionKey(session));
	const bulletsOf = (of: SessionRef | undefined) => store.bullets(keyOf(memoryFile(of)));
	const known = new Set(bulletsOf(session).map(({ text }) => keyOfText(text)));
	return memoryHomes({ homes: others }).flatMap((of) =>
		bulletsOf(of).flatMap(({ id, section, text, by, until }) => {
			if (until !== null || !isStanding(section, by) || known.has(keyOfText(text))) return [];
			known.add(keyOfText(text));
			return [{ id, section, text, by, saidIn: null }];
		}),
	);
}

/** The texts that the model is given now, read when first asked for. */
class GivenContext {
	readonly #read: () => ContextWords;
	#words: ContextWords | undefined;

	constructor({ requests, log }: Engine, input: RequestInput, moment: Moment) {
		this.#read = () => {
			const messages = hostMessages(requests.envelopeNow({ ...input, decide: false }, moment));
			const { session, opening } = moment.path;
			const beside = [...log.read({ ...session, types: ["Given"], after: opening?.place })];
			return new ContextWords([
				...textsIn(messages),
				...beside.flatMap(({ payload }) => asText(payload["text"]) ?? []),
			]);
		};
	}

	get words(): ContextWords {
		this.#words ??= this.#read();
		return this.#words;
	}
}

/** Finds what weft wrote into the session's own SESSION.md: a seed has the same, from the same state. */
function ownStateFilter({ log }: Engine, session: SessionRef): (item: RecallItem) => boolean {
	const bullets = new MemoryStore(log).bullets(keyOf(sessionFile(session)));
	const byState = new Set(bullets.flatMap(({ id, by }) => (by === "state" ? [id] : [])));
	return ({ id, source, file }) => source === "session" && isOwnFile(file, session.session) && byState.has(id);
}

/** Evidence that no chance gives: the words speak of this very item. */
const CERTAIN = 3;

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
	const asker = { session: undefined, scope: EVERYONE, state: engine.state().state };
	const items = gather(engine, text, asker);
	const onDisk = diskRemarks(engine.project.root);
	return recall(items, text, { now, onDisk, replacedBy: replacerIn(engine, asker, text) });
}

/** All items of the project, for the user at the machine. */
export function itemsForUser(engine: Engine, text: string): readonly RecallItem[] {
	return gather(engine, text, { session: undefined, scope: EVERYONE, state: engine.state().state });
}

/** Finds the newer words of the user that an item's text contradicts, among those that the session may know. */
export function replacerOf(engine: Engine, session: SessionRef, question: string): Replacer {
	return replacerIn(engine, askerOf(engine, session), question);
}

export function itemsOf(
	engine: Engine,
	session: SessionRef,
	text: string,
	{ isWhole = true } = {},
): readonly RecallItem[] {
	return gather(engine, text, askerOf(engine, session), { isWhole });
}

interface Asker {
	readonly session: SessionRef | undefined;
	readonly scope: Scope;
	readonly state: ProjectState;
}

type Replacer = (item: RecallItem) => string | undefined;

function askerOf(engine: Engine, session: SessionRef): Asker {
	return { session, scope: engine.scope(session), state: engine.stateFor(session).state };
}

/** A question about the past wants the old words too. */
function replacerIn(engine: Engine, { scope, state }: Asker, question: string): Replacer {
	if (asksAboutPast(question)) return () => undefined;
	const superseded = supersededInScope(engine.log, state.thread, scope);
	return ({ text, source, seq }) =>
		source === "workspace" ? undefined : superseded.replacerOf({ text: withoutMark(text), seq })?.handle;
}

function gather(
	engine: Engine,
	text: string,
	{ session, scope, state }: Asker,
	{ isWhole = true } = {},
): readonly RecallItem[] {
	const { root, folder } = engine.project;
	return gatherItems({
		root,
		folder,
		log: engine.log,
		session,
		scope,
		isWhole,
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
