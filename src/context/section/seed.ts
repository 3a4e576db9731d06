/**
 * The seed: the text that opens an epoch. Everything that the agent would miss without its history, rendered once from
 * the current state, within a budget; what does not fit is named with the way to get it. No clock and no ages: the same
 * log and settings give the same bytes.
 */

import { cutMiddle, cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { getKey, getRecent, newestFirst } from "../../log/fold/keyed.ts";
import { ENCLOSURE_BYTES, enclose, nameAtStart, nameInLine, wordsInLine } from "../../message/enclosure.ts";
import { type Note, type NotesState, notesIn } from "../../state/memory/session/notes-fold.ts";
import { doneLines, nextSteps } from "../../state/memory/session/state-draft.ts";
import {
	type ConversationState,
	conversationIn,
	type Quote,
	type SessionConversation,
} from "../../state/session/conversation.ts";
import { type ThreadState, threadIn } from "../../state/thread/thread.ts";
import { type FileState, type FilesState, fileHandle, spellingOf } from "../../state/work/file-fold.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { PathState } from "../../state/work/path-fold.ts";
import type { ProgressState } from "../../state/work/progress.ts";
import type { TouchState } from "../../state/work/touch-fold.ts";
import type { WorkState } from "../../state/work/work-state.ts";
import {
	forbiddenNames,
	type HistoryNode,
	namedWords,
	ownWords,
	renderHistory,
	renderPlans,
	renderRemarks,

} from "./conversation.ts";
import { renderCommands, renderDecisions } from "./facts.ts";
import { renderFailures, renderResolved } from "./failures.ts";
import { renderSeedHeader } from "./header.ts";
import { type KeepRequest, renderKeepRequest } from "./keep-request.ts";
import {
	bytesOf,
	bytesTaken,
	type ComposedSeed,
	isOurTool,
	joinSections,
	type ListEntry,
	makeSection,
	renderList,
	type Section,
	type SectionStyle,
	tokensOf,
} from "./section.ts";
import { renderThread } from "./thread.ts";
import { renderWarmFiles } from "./warm-files.ts";

export interface SeedState extends WorkState {
	readonly touches: TouchState;
	readonly said: ConversationState;
	readonly paths: PathState;
	/** Notes in SESSION.md. */
	readonly notes: NotesState;
	readonly thread: ThreadState;
}

interface SeedInput {
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
}

/** Of the budget; unused shares go to the files, which are worth the most. */
const SHARES = {
	standing: 0.08,
	next: 0.01,
	users: 0.08,
	asked: 0.15,
	plans: 0.08,
	decisions: 0.04,
	failures: 0.045,
	resolved: 0.02,
	commands: 0.03,
	remarks: 0.035,
	paths: 0.05,
	ledger: 0.05,
	history: 0.05,
} as const;

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
	const style = namesTools ? SEED_STYLE : STYLE_WITHOUT_TOOLS;
	const bytes = bytesOfTokens(budget);
	const share = (name: keyof typeof SHARES) => Math.floor(bytes * SHARES[name]);
	const { failures } = state.failures;
	const said = conversationIn(state.said, session);
	const notes = notesIn(state.notes, { session, host: input.host });
	const thread = renderThread(
		{ thread: threadIn(state.thread, session), session, decisions: state.decisions, notes, raw },
		style,
		Number(process.env["THREAD"] ?? 6000) * 3.2,
	);
	const before = [
		renderSeedHeader(state, root, style),
		...thread.before,
		...(asked ? [renderKeepRequest(asked, style, share("asked"))] : []),
		renderFailures(failures, style, share("failures")),
		renderResolved(failures, state.files, style, share("resolved")),
		...thread.after,
		renderCommands(state.progress, session, raw, style, share("commands")),
	];
	const after = [
		renderPaths(state.paths, style, share("paths")),
		renderLedger(state.files, style, share("ledger")),
		renderHistory(nodes, style, share("history")),
	];
	const left = [...before, ...after].reduce((rest, section) => rest - bytesTaken(section), bytes + Number(process.env["EXTRA"] ?? 0) * 3.2);
	const named = namedWords([...(said?.users ?? []), ...(asked ? [{ text: asked.words }] : [])]);
	const warm = {
		session,
		touches: state.touches,
		ledger: state.files,
		files,
		raw,
		named,
		forbidden: forbiddenNames(said),
		own: ownWords(answers),
	};
	return joinSections([...before, renderWarmFiles(warm, style, left - 1), ...after]);
}

const ASKED_SHARE = 0.5;
const WORDS_SHARE = 0.3;
const LINE_BYTES = 300;
const MAX_STEPS = 2;

interface CurrentStateInput {
	readonly said: SessionConversation | undefined;
	readonly progress: ProgressState;
	/** Notes in SESSION.md by a model or the user. */
	readonly notes: readonly Note[];
	readonly session: string;
	/** The messages that stay raw; their texts are not repeated. */
	readonly raw: string;
}

/**
 * Where the work is: Current State and Next Steps of SESSION.md at this moment, which an agent needs first after a seal.
 * Notes of a model or the user appear word for word; the rest comes from state.
 */
function renderCurrentState(
	{ said, progress, notes, session, raw }: CurrentStateInput,
	style: SectionStyle,
	bytes: number,
): Section {
	const asked = said?.users.at(-1);
	const words = said?.remarks.at(-1);
	const entries: ListEntry[] = [];
	const add = (id: string, line: string, handle?: string) =>
		entries.push({ id, kind: "standing", why: "where the work stands", handle, forms: [[line]] });
	const addWords = (id: string, what: string, { handle, text }: Quote, most: number) => {
		const { until, end } = enclose(text, handle);
		const whose = until === "" ? handle : `${handle}, ${until}`;
		add(
			id,
			`${what} (${whose}): ${cutMiddle(text, until === "" ? most : most - ENCLOSURE_BYTES, handle)}${end}`,
			handle,
		);
	};
	if (asked && !raw.includes(asked.text)) addWords("asked", "Asked last", asked, bytes * ASKED_SHARE);
	for (const line of doneLines(getRecent(progress.sessions, session))) {
		add("done", cutToBytes(nameInLine(line), LINE_BYTES * 2));
	}
	for (const { id, text } of notesOf(notes, "Current State")) add(id, bulletLine(text));
	if (words && !raw.includes(words.text)) addWords("words", "You said last", words, bytes * WORDS_SHARE);
	return renderList({ name: "standing", title: "Current State", entries }, style, bytes);
}

function renderNextSteps({ said, notes }: CurrentStateInput, style: SectionStyle, bytes: number): Section {
	const written = notesOf(notes, "Next Steps");
	// Failures and plans have their own sections: this one says where to begin.
	const steps = written.length > 0 ? written.map(({ text }) => text) : nextSteps(said, []).slice(0, MAX_STEPS);
	const entries = steps.map((text, at): ListEntry => {
		const why = written.length > 0 ? "written into SESSION.md" : "open in the plan, or announced";
		return { id: `next:${at}`, kind: "next", why, forms: [[bulletLine(text)]] };
	});
	return renderList({ name: "next", title: "Next Steps", entries }, style, bytes);
}

function notesOf(notes: readonly Note[], section: Note["section"]): Note[] {
	return notes.filter((note) => note.section === section);
}

function bulletLine(text: string): string {
	return `- ${cutToBytes(wordsInLine(text), LINE_BYTES)}`;
}

/** The map: every path seen, as a tree, and the files that were read or changed. */
function renderPaths({ seen }: PathState, style: SectionStyle, bytes: number): Section {
	const paths = [...newestFirst(seen)].map(([path]) => nameInLine(path));
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
	return renderList({ name: "ledger", title, entries, more: count - known.length }, style, bytes);
}

/** So that the agent does not take somebody else's changes for its own. */
function byOthers({ changes, changesByOthers }: FileState): string {
	if (changesByOthers === 0) return "";
	return changesByOthers === changes ? " by somebody else" : ` (${changesByOthers}× by somebody else)`;
}
