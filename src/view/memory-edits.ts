/** A person's changes to the memory files. They outrank everything written from state or by a model. */

import { EngineError } from "../base/error/engine-error.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { closest } from "../base/text/closest-word.ts";
import { oneLine } from "../base/text/printable.ts";
import type { Engine } from "../engine.ts";
import { keyOfText } from "../state/memory/document.ts";
import { PROBATION_MS } from "../state/memory/durable/state-consolidation.ts";
import type { ImportCandidate } from "../state/memory/import-candidates.ts";
import {
	keyOf,
	MEMORY,
	type MemoryFile,
	MemoryFiles,
	type MemoryWriteResult,
	type SessionName,
} from "../state/memory/memory-files.ts";
import type { CurrentBullet, MemoryOp } from "../state/memory/operation.ts";
import { MEMORY_SECTIONS, specOf } from "../state/memory/section.ts";
import type { KnownBullet } from "../state/memory/store.ts";
import { allFiles } from "./memory.ts";
import { ambiguousId, refuseTextId } from "./memory-story.ts";
import type { TextStyle } from "./text-style.ts";

export interface ByHand {
	readonly now: number;
	readonly why: "command" | "import";
	readonly by: SessionName;
}

/** A bullet of the user's own in MEMORY.md. */
export function addMemory(
	engine: Engine,
	{ text, section }: { readonly text: string; readonly section: string },
	hand: ByHand,
): MemoryWriteResult {
	const names = MEMORY_SECTIONS.map(({ name }) => name);
	const found = names.find((name) => name.toLowerCase() === section.toLowerCase());
	if (!found) {
		const meant = closest(section, names);
		throw new EngineError(
			"usage",
			`Unknown section '${section}'. ${meant ? `Did you mean '${meant}'?` : `Choose one of ${names.join(", ")}.`}`,
		);
	}
	refuseLong(text, MEMORY, found);
	const written = write(engine, MEMORY, hand, () => [{ op: "add", section: found, text, by: "user" }]);
	refuse(written);
	return written;
}

export function editMemory(engine: Engine, id: string, text: string, hand: ByHand): MemoryWriteResult {
	const { file, bullet } = findBullet(engine, id, hand);
	refuseLong(text, file, bullet.section);
	const written = write(engine, file, hand, () => [{ op: "supersede", replaces: bullet.id, text, by: "user" }]);
	refuse(written);
	return written;
}

/** The bullet stays deleted: the same words leave every file and are refused from now on. */
export function forgetMemory(engine: Engine, id: string, hand: ByHand): MemoryWriteResult & { readonly text: string } {
	const { file, bullet } = findBullet(engine, id, hand);
	const forget = (where: MemoryFile, name: string) =>
		write(engine, where, hand, () => [{ op: "invalidate", id: name, by: "user", isForgotten: true }]);
	const written = forget(file, bullet.id);
	for (const same of new MemoryFiles({ log: engine.log }).store.saying(bullet.text)) {
		const where = allFiles(engine).find((each) => keyOf(each) === same.file);
		if (where) forget(where, same.id);
	}
	return { ...written, text: bullet.text };
}

function write(
	engine: Engine,
	file: MemoryFile,
	{ now, why, by }: ByHand,
	build: (current: readonly CurrentBullet[]) => readonly MemoryOp[],
): MemoryWriteResult {
	return new MemoryFiles({ log: engine.log }).write({ file, why, session: by, ts: now, build });
}

/** Refuses a long text instead of cutting it silently. */
function refuseLong(text: string, { kind }: MemoryFile, section: string): void {
	const most = specOf(kind, section)?.chars;
	const { length } = text.trim();
	if (most !== undefined && length > most)
		throw new EngineError(
			"refused",
			`It has ${formatCount(length)} characters; a bullet holds ${most}. Shorten it, or write it into the file.`,
		);
}

function refuse({ refused }: MemoryWriteResult): void {
	if (refused[0]) throw new EngineError("refused", `Nothing was written: ${refused[0].why}.`);
}

/** Finds a bullet. If the id is unknown, first takes in what the user wrote into the files since. */
function findBullet(
	engine: Engine,
	id: string,
	hand: ByHand,
): { readonly file: MemoryFile; readonly bullet: KnownBullet } {
	refuseTextId(id);
	const store = new MemoryFiles({ log: engine.log }).store;
	const live = () => store.byId(id).filter(({ gone }) => gone === null);
	let found = live();
	if (found.length === 0) {
		for (const file of allFiles(engine)) if (store.revision(keyOf(file)) > 0) write(engine, file, hand, () => []);
		found = live();
	}
	const [bullet, another] = found;
	if (!bullet) throw new EngineError("not-found", `No bullet has the id '${id}'. 'weft memory' lists them.`);
	if (another && another.id !== bullet.id) throw ambiguousId(id);
	const file = allFiles(engine).find((each) => keyOf(each) === bullet.file);
	if (!file) throw new EngineError("not-found", `The session of '${id}' is no longer in the log.`);
	return { file, bullet };
}

export interface ImportView {
	readonly applied: boolean;
	readonly candidates: readonly (ImportCandidate & { readonly note?: string | undefined })[];
	readonly taken: number;
}

/** The candidates, with a note on those that are known or were forgotten. */
export function previewImport(engine: Engine | undefined, candidates: readonly ImportCandidate[]): ImportView {
	const store = engine && new MemoryFiles({ log: engine.log }).store;
	const file = keyOf(MEMORY);
	const known = new Set(store?.bullets(file).map(({ text }) => keyOfText(text)));
	const noteOn = (text: string) =>
		known.has(keyOfText(text))
			? "it is there already"
			: store?.isForgotten(file, text)
				? "it was forgotten"
				: undefined;
	return { applied: false, candidates: candidates.map((each) => ({ ...each, note: noteOn(each.text) })), taken: 0 };
}

/** Imported bullets are on probation, and name their origin. */
export function importMemory(engine: Engine, candidates: readonly ImportCandidate[], hand: ByHand): ImportView {
	const until = hand.now + PROBATION_MS;
	const ops = candidates.map(
		({ section, text, origin }): MemoryOp => ({ op: "add", section, text, origin, by: "import", until }),
	);
	const { refused, ops: done } = write(engine, MEMORY, hand, () => ops);
	const notes = new Map(refused.flatMap(({ op, why }) => (op.op === "add" ? [[op.text, why] as const] : [])));
	return {
		applied: true,
		candidates: candidates.map((each) => ({ ...each, note: notes.get(each.text) })),
		taken: done.filter(({ op, by }) => op === "add" && by === "import").length,
	};
}

export function renderImport(
	{ applied, candidates, taken }: ImportView,
	style: TextStyle,
	named: readonly string[] = [],
): string[] {
	if (candidates.length === 0)
		return [
			named.length > 0
				? `Found nothing to remember in ${named.join(", ")}. weft reads bullets and paragraphs of Markdown files (.md).`
				: "Found no memory files of Claude Code, Codex or OpenClaw for this project. Name a file or a folder.",
		];
	const lines = [...Map.groupBy(candidates, ({ origin }) => origin)].flatMap(([origin, list]) => [
		style.paint("bold", oneLine(origin)),
		...list.map(
			({ section, text, note }) => `  ${section}: ${oneLine(text)}${note === undefined ? "" : ` (left out: ${note})`}`,
		),
	]);
	return [
		...lines,
		"",
		applied
			? `${plural(taken, "bullet")} added to MEMORY.md, on probation for 30 days.`
			: `${plural(candidates.filter(({ note }) => note === undefined).length, "candidate")}.`,
	];
}
