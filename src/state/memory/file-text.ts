/** Renders memory files: bullets with their ids, the title, the line with the revision. */
import {
	type Bullet,
	editDocument,
	type MemoryDocument,
	parseDocument,
	renderDocument,
	withRevision,
} from "./document.ts";
import type { MemoryFile } from "./memory-files.ts";
import type { StoredOp } from "./operation.ts";
import type { KnownBullet } from "./store.ts";
import type { UserChanges } from "./user-changes.ts";

/** The file's text after the user's changes and our own operations. */
export function renderFile(
	document: MemoryDocument,
	users: UserChanges,
	planned: readonly StoredOp[],
	{ file, ts, revision }: { readonly file: MemoryFile; readonly ts: number; readonly revision: number },
): string {
	const replaced = new Map<Bullet, Bullet | null>(users.gone.map((bullet) => [bullet, null]));
	for (const [bullet, id] of users.renamed) replaced.set(bullet, withMark(bullet, id, dayOf(ts)));
	const fresh = new Map<string, { readonly section: string; readonly bullet: Bullet }>();
	for (const { id, section, text, until, ts: since } of users.current) {
		if (!users.places.has(id)) fresh.set(id, { section, bullet: newBullet(id, text, since ?? ts, until) });
	}
	const remove = (id: string) => {
		const bullet = users.places.get(id);
		if (bullet) replaced.set(bullet, null);
		fresh.delete(id);
	};
	for (const op of planned) {
		switch (op.op) {
			case "invalidate":
				remove(op.id);
				break;
			case "confirm": {
				const bullet = users.places.get(op.id);
				if (bullet) replaced.set(bullet, withMark(bullet, op.id, dayOf(ts)));
				break;
			}
			default: {
				const bullet = newBullet(op.id, op.text ?? "", ts, op.until ?? null);
				const before = op.replaces === undefined ? undefined : users.places.get(op.replaces);
				if (before) replaced.set(before, bullet);
				else {
					if (op.replaces !== undefined) fresh.delete(op.replaces);
					fresh.set(op.id, { section: op.section, bullet });
				}
			}
		}
	}
	const added = Map.groupBy(fresh.values(), ({ section }) => section);
	const edited = editDocument(document, file.kind, {
		replaced,
		added: new Map([...added].map(([section, list]) => [section, list.map(({ bullet }) => bullet)])),
	});
	return withFinalBreak(renderDocument(withRevision(edited, revision, ownerOf(file))));
}

/** The document of a file that is lost: its title, and the bullets that the log knows. */
export function rebuildDocument(file: MemoryFile, live: readonly KnownBullet[]): MemoryDocument {
	const titles = "of" in file && file.of !== undefined ? CONVERSATION_TITLES : TITLES;
	const empty = parseDocument(`${titles[file.kind]}\n`);
	const added = Map.groupBy(live, ({ section }) => section);
	return editDocument(empty, file.kind, {
		replaced: new Map(),
		added: new Map(
			[...added].map(([section, list]) => [
				section,
				list.map(({ id, text, ts, until }) => newBullet(id, text, ts, until)),
			]),
		),
	});
}

const TITLES = {
	session: "\n# The work of this session",
	memory: "\n# What stays true of this project",
	history: "\n# What was done here",
} as const;

/** Of the files of one conversation. */
const CONVERSATION_TITLES = {
	session: TITLES.session,
	memory: "\n# What stays true in this conversation",
	history: "\n# What was talked about",
} as const;

function newBullet(id: string, text: string, ts: number, until: number | null): Bullet {
	const probation = until === null ? "" : `, on probation until ${dayOf(until)}`;
	const [first = "", ...rest] = text.split("\n");
	const lines = [`- ${first} <!-- ${id} ${dayOf(ts)}${probation} -->`, ...rest.map((line) => `  ${line}`)];
	return { kind: "bullet", id, text, lines };
}

/** Keeps the user's own line and adds an id at its end. */
function withMark(bullet: Bullet, id: string, day: string): Bullet {
	const [first = "", ...rest] = bullet.lines;
	const words = first.replace(/[ \t]*<!-- f-[0-9a-f]{8}(?: [^<>]*)? -->[ \t]*$/, "");
	return { kind: "bullet", id, text: bullet.text, lines: [`${words} <!-- ${id} ${day} -->`, ...rest] };
}

/** In UTC, so that a file is the same wherever it is written. */
export function dayOf(ts: number): string {
	return new Date(ts).toISOString().slice(0, 10);
}

/** The session, as the first line of its SESSION.md names it. */
export function ownerOf(file: MemoryFile): string {
	return file.kind === "session" ? ` of session ${file.of.session.replace(/[^\w.@+~-]+/g, "-").slice(0, 80)}` : "";
}

function withFinalBreak(text: string): string {
	return `${text.replace(/\n+$/, "")}\n`;
}
