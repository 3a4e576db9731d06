/**
 * The seed: the text that opens an epoch. Everything that the agent would miss without its history, rendered once from
 * the current state, within a budget; what does not fit is named with the way to get it. No clock and no ages: the same
 * log and settings give the same bytes.
 */

import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { getKey, newestFirst } from "../../log/fold/keyed.ts";
import { nameAtStart, nameInLine } from "../../message/enclosure.ts";
import type { RememberedState } from "../../state/memory/remembered-fold.ts";
import { type NotesState, notesIn } from "../../state/memory/session/notes-fold.ts";
import type { ToldState } from "../../state/memory/told-fold.ts";
import { correctedThread } from "../../state/thread/corrected-elsewhere.ts";
import type { ThreadState } from "../../state/thread/thread.ts";
import { currentFailures } from "../../state/work/failure/lifecycle.ts";
import { type FileState, type FilesState, fileHandle, spellingOf } from "../../state/work/file-fold.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { PathState } from "../../state/work/path-fold.ts";
import type { TouchState } from "../../state/work/touch-fold.ts";
import type { WorkState } from "../../state/work/work-state.ts";
import { forbiddenNames, type HistoryNode, namedWords, ownWords, renderHistory } from "./conversation.ts";
import { renderCommands } from "./facts.ts";
import { renderFailures, renderResolved } from "./failures.ts";
import { folderName, remoteName, renderSeedHeader, renderTalkHeader, seedOpening } from "./header.ts";
import { type KeepRequest, renderKeepRequest } from "./keep-request.ts";
import {
	bytesOf,
	bytesTaken,
	type ComposedSeed,
	isOurTool,
	joinSections,
	makeSection,
	renderList,
	type Section,
	type SectionStyle,
	tokensOf,
} from "./section.ts";
import { renderTalk } from "./talk.ts";
import { renderThread } from "./thread.ts";
import { renderWarmFiles } from "./warm-files.ts";

export interface SeedState extends WorkState {
	readonly touches: TouchState;
	readonly paths: PathState;
	/** Notes in SESSION.md. */
	readonly notes: NotesState;
	/** Rules, preferences and decisions of MEMORY.md. */
	readonly remembered: RememberedState;
	readonly thread: ThreadState;
	/** Sentences by which the user told something, for talk. */
	readonly told: ToldState;
}

export interface SeedInput {
	readonly session: string;
	readonly host: string;
	readonly state: SeedState;
	readonly files: FileSource;
	readonly root: string;
	/** The summaries of the messages that left, oldest first. */
	readonly nodes?: readonly HistoryNode[] | undefined;
	/** The user's words on what to keep. */
	readonly asked?: KeepRequest | undefined;
	/** Text of the messages that stay raw after the seed. */
	readonly raw: string;
	/** The agent's recent words, newest first. */
	readonly answers?: Iterable<string> | undefined;
	/** Tokens that the text may take. */
	readonly budget: number;
	/** False: the agent cannot call our tools. */
	readonly namesTools?: boolean | undefined;
	/** True: the newest messages are a conversation without work. */
	readonly isTalk?: boolean | undefined;
}

/** Of the budget: the most for the thread, unless the files leave more. */
const THREAD_SHARE = 0.55;
/** Of the budget without the thread's part; unused shares go to the files, which are worth the most there. */
const SHARES = {
	asked: 0.15,
	failures: 0.09,
	resolved: 0.02,
	commands: 0.03,
	paths: 0.05,
	ledger: 0.05,
	history: 0.05,
} as const;
/** Room that the files leave empty, from which on the thread is rendered again with it. */
const MIN_UNUSED_SHARE = 0.05;

export const SEED_STYLE: SectionStyle = {
	heading: (title) => `## ${title}`,
	notice: (words, way = "lcm_grep") => `[${words}: ${way}]`,
	namesTools: true,
	reference: (handle) => ` [${handle}]`,
	pieceHeading: (from, count) => [`[lines ${from}-${from + count - 1}]`],
	quote: (line) => line,
};

/** Without our tools, omitted items are only counted. */
const STYLE_WITHOUT_TOOLS: SectionStyle = {
	...SEED_STYLE,
	notice: (words, way = "lcm_") => (isOurTool(way) ? `[${words}]` : `[${words}: ${way}]`),
	namesTools: false,
};

export function renderSeed(input: SeedInput): ComposedSeed {
	const { session, state, files, root, nodes = [], asked, raw, answers = [], budget, namesTools = true } = input;
	const { isTalk = false } = input;
	const style = namesTools ? SEED_STYLE : STYLE_WITHOUT_TOOLS;
	const bytes = bytesOfTokens(budget);
	const threadBytes = Math.floor(bytes * THREAD_SHARE);
	const share = (name: keyof typeof SHARES) => Math.floor((bytes - threadBytes) * SHARES[name]);
	const { failures } = state.failures;
	const thread = correctedThread(state.thread, session);
	const notes = notesIn(state.notes, { session, host: input.host });
	const header = isTalk
		? renderTalkHeader(style)
		: renderSeedHeader(state, remoteName(thread) ?? folderName(root), style);
	const keep = asked ? [renderKeepRequest(asked, style, share("asked"))] : [];
	const open = renderFailures(failures, style, share("failures"));
	const facts = [
		new GrowingSection(share("resolved"), (room) => renderResolved(failures, state.files, style, room)),
		new GrowingSection(share("commands"), (room) => renderCommands(state.progress, session, raw, style, room)),
	];
	const after = [
		new GrowingSection(share("paths"), (room) => renderPaths(state.paths, root, style, room)),
		new GrowingSection(share("ledger"), (room) => renderLedger(state.files, style, room)),
		new GrowingSection(share("history"), (room) => renderHistory(nodes, thread, style, room)),
	];
	const { decisions, remembered, told: said } = state;
	const failing = currentFailures(failures).map(({ lastHandle }) => lastHandle);
	const words = (room: number) =>
		isTalk
			? renderTalk({ thread, session, decisions, notes, remembered, raw, told: said }, style, room)
			: renderThread({ thread, session, decisions, notes, remembered, raw, failing }, style, room, bytes);
	const sizeOf = (sections: readonly Section[]) => sections.reduce((sum, section) => sum + bytesTaken(section), 0);
	const fixed = sizeOf([header, ...keep, open, ...[...facts, ...after].map(({ section }) => section)]);
	let told = words(threadBytes);
	const named = namedWords([...(thread?.orders ?? []), ...(asked ? [{ text: asked.words }] : [])]);
	const warm = renderWarmFiles(
		{
			session,
			touches: state.touches,
			ledger: state.files,
			files,
			raw,
			named,
			forbidden: forbiddenNames(thread?.orders ?? []),
			own: ownWords(answers),
		},
		style,
		bytes - fixed - sizeOf([...told.before, ...told.after]) - 1,
	);
	const unused = bytes - fixed - sizeOf([...told.before, ...told.after, warm]);
	if (unused > bytes * MIN_UNUSED_SHARE) told = words(sizeOf([...told.before, ...told.after]) + unused);
	let free = bytes - fixed - sizeOf([...told.before, ...told.after, warm]);
	for (const each of [...facts, ...after.toReversed()]) free -= each.grow(free);
	const sections = (growing: readonly GrowingSection[]) => growing.map(({ section }) => section);
	return joinSections([
		header,
		...told.before,
		...keep,
		open,
		...told.after,
		...sections(facts),
		warm,
		...sections(after),
	]);
}

/** A section that takes the room which the others leave empty, where it had to omit something. */
class GrowingSection {
	section: Section;
	readonly #render: (room: number) => Section;

	constructor(room: number, render: (room: number) => Section) {
		this.#render = render;
		this.section = render(room);
	}

	/** The bytes that it took of those that are free. */
	grow(free: number): number {
		if (free <= 0 || this.section.left === 0) return 0;
		const before = bytesTaken(this.section);
		this.section = this.#render(before + free);
		return bytesTaken(this.section) - before;
	}
}

/** The thread without files and facts, for an opening that tells the rest in its own way. */
export function renderThreadAlone(
	input: Pick<SeedInput, "session" | "host" | "state" | "raw" | "budget" | "namesTools" | "isTalk">,
): ComposedSeed {
	const { session, host, state, raw, budget, namesTools = true, isTalk = false } = input;
	const style = namesTools ? SEED_STYLE : STYLE_WITHOUT_TOOLS;
	const thread = correctedThread(state.thread, session);
	const notes = notesIn(state.notes, { session, host });
	const bytes = bytesOfTokens(budget);
	const { remembered, decisions, told } = state;
	if (isTalk) {
		const talk = renderTalk({ thread, session, decisions, notes, remembered, raw, told }, style, bytes);
		return joinSections([renderTalkHeader(style), ...talk.before, ...talk.after]);
	}
	const failing = currentFailures(state.failures.failures).map(({ lastHandle }) => lastHandle);
	const { before, after } = renderThread({ thread, session, decisions, notes, remembered, raw, failing }, style, bytes);
	const open = renderFailures(state.failures.failures, style, Math.floor(bytes * SHARES.failures));
	return joinSections([makeSection("header", [seedOpening(style)], []), ...before, open, ...after]);
}

/** The map: every path seen, as a tree, and the files that were read or changed. */
function renderPaths({ seen }: PathState, root: string, style: SectionStyle, bytes: number): Section {
	const within = `${root.replaceAll("\\", "/").replace(/\/+$/, "")}/`;
	const relative = [...newestFirst(seen)].map(([path]) => (path.startsWith(within) ? path.slice(within.length) : path));
	const paths = [...new Set(relative)].filter((path) => path !== "").map(nameInLine);
	const title = style.heading("Paths seen (folder, then names)");
	const notice = (count: number) => style.notice(`${count} more`);
	const folders = new Map<string, string[]>();
	let free = bytes - bytesOf([title, notice(paths.length)]);
	let taken = 0;
	for (const path of paths) {
		const cut = path.lastIndexOf("/") + 1;
		const [folder, name] = [path.slice(0, cut), path.slice(cut)];
		const names = folders.get(folder);
		free -= bytesOf([name]) + (names ? 0 : bytesOf([folder]));
		if (free < 0) break;
		taken++;
		if (names) names.push(name);
		else folders.set(folder, [name]);
	}
	const left = paths.length - taken;
	if (taken === 0) return makeSection("paths", [], [], left);
	const tree = [...folders]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([folder, names]) => nameAtStart(`${folder} ${names.sort().join(" ")}`));
	const why = `the newest ${taken} of ${paths.length} paths that came by`;
	const item = { id: "paths", kind: "paths", tokens: tokensOf(tree), why, included: true };
	return makeSection("paths", [title, ...tree, ...(left > 0 ? [notice(left)] : [])], [item], left);
}

function renderLedger({ files, recent, count }: FilesState, style: SectionStyle, bytes: number): Section {
	const known = recent
		.toReversed()
		.map((path) => getKey(files, path))
		.filter((file) => file !== undefined);
	const entries = known.map((file) => {
		const { path, reads, changes, added, removed, deleted, last } = file;
		const changed = changes > 0 ? ` changed ${changes}×${byOthers(file)} +${added}/-${removed}` : "";
		const line = `- ${nameInLine(spellingOf(file))}${reads > 0 ? ` read ${reads}×` : ""}${changed}${deleted ? " deleted" : ""}`;
		return {
			id: `ledger:${path}`,
			kind: "ledger",
			why: "read or changed",
			handle: fileHandle({ last }),
			forms: [[line]],
		};
	});
	const title = `Files touched (${count})`;
	return renderList({ name: "ledger", title, entries, more: count - known.length, needsEntry: true }, style, bytes);
}

/** So that the agent does not take somebody else's changes for its own. */
function byOthers({ changes, changesByOthers }: FileState): string {
	if (changesByOthers === 0) return "";
	return changesByOthers === changes ? " by somebody else" : ` (${changesByOthers}× by somebody else)`;
}
