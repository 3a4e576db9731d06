/**
 * Who wrote this file while a command ran? The command, if its line shows it: by a path, a glob, or a script that names
 * the file. Any other write counts as someone else's.
 */
import { basename } from "node:path";
import { type CommandEffects, effectsOf, type SeenWrite } from "../base/shell/effects.ts";
import { matchesGlob, pathsInCommand } from "../base/shell/paths.ts";
import { plainText } from "../base/text/lines.ts";
import { locate } from "./call.ts";
import type { FilePort } from "./types.ts";

export interface CommandLine {
	readonly text: string;
	readonly cwd: string;
}

export type HowWritten = Pick<SeenWrite, "how" | "isLast" | "isLiteral" | "isMoved" | "loses">;

export interface Writer {
	/** How the command line writes the file; undefined: it does not. */
	readonly howWritten: (file: { readonly absolute: string; readonly real: string | null }) => HowWritten | undefined;
	/** True: the line writes this text to a file, as a here-document. */
	readonly isLiteral: (text: string) => boolean;
	/** Files that it may have made: absolute, globs expanded. */
	readonly targets: readonly string[];
	/** Every file that the line may name: absolute. */
	readonly named: readonly string[];
	/** It may write files that its line does not name. */
	readonly isOpaque: boolean;
	/** A git command of it brings files to another commit. */
	readonly updatesTree: boolean;
	/** Where its commands run: absolute. */
	readonly folders: readonly string[];
}

export const MODIFIED: HowWritten = { how: "modify", isLast: true, isLiteral: false, isMoved: false, loses: false };
const MAX_FILES = 64;
const MAX_SCRIPT_BYTES = 256 * 1024;

export function writerOf(line: CommandLine, files: FilePort): Writer {
	const effects = effectsOf(line.text);
	const at = (path: string) => locate(path, line.cwd).absolute;
	const writes = effects.writes.map((write) => {
		const absolute = at(write.path);
		const real = isGlob(absolute) ? undefined : files.realpath(absolute);
		return { ...write, absolute, real };
	});
	const folders = effects.folders.map(at);
	const words = pathsInCommand(line.text).flatMap((word) => folders.map((folder) => locate(word, folder).absolute));
	const scripts = scriptsOf(effects, at, files);
	const howWritten: Writer["howWritten"] = ({ absolute, real }) => {
		const names = real === null || real === absolute ? [absolute] : [absolute, real];
		const found = writes.filter(
			(write) => names.includes(write.real ?? "") || names.some((name) => reaches(write, name)),
		);
		if (found.length > 0) return strongest(found);
		if (scripts.some((script) => writesFile(script, absolute))) return MODIFIED;
		const isMeant = effects.isVague && words.some((word) => names.some((name) => matchesGlob(word, name)));
		return isMeant ? MODIFIED : undefined;
	};
	const targets = writes.filter(({ how }) => how !== "delete").map(({ absolute }) => absolute);
	return {
		howWritten,
		isLiteral: (text) => effects.literals.some((literal) => isWritten(literal, text)),
		targets: expand([...targets, ...(effects.isVague || scripts.length > 0 ? words : [])], files),
		named: expand(words, files),
		isOpaque: effects.isOpaque || effects.isVague,
		updatesTree: effects.updatesTree,
		folders,
	};
}

/** Lines of a here-document that the shell expands cannot be known. */
function isWritten(literal: string, text: string): boolean {
	const said = plainText(literal).split("\n");
	const lines = plainText(text).split("\n");
	return said.length === lines.length && said.every((line, at) => line === lines[at] || /[$`\\]/.test(line));
}

/** The file is the written path, or inside it. */
export function reaches(write: Pick<SeenWrite, "under"> & { readonly absolute: string }, name: string): boolean {
	if (matchesGlob(write.absolute, name)) return true;
	if (!write.under) return false;
	if (!isGlob(write.absolute)) return name.startsWith(`${write.absolute}/`);
	const parts = name.split("/");
	return parts.some((_, at) => matchesGlob(write.absolute, parts.slice(0, at).join("/")));
}

/** `mv` removes one file and puts another in its place: the new one counts. */
function strongest(found: readonly SeenWrite[]): HowWritten {
	for (const how of ["modify", "replace"] as const) {
		const write = found.findLast((one) => one.how === how);
		if (write) return write;
	}
	return found[0] ?? MODIFIED;
}

/** The script texts that a line runs. */
function scriptsOf(effects: CommandEffects, at: (path: string) => string, files: FilePort): string[] {
	const read = effects.scriptFiles.flatMap((path) => {
		const content = files.read(at(path));
		return content.kind === "bytes" && content.bytes.length <= MAX_SCRIPT_BYTES ? [content.bytes.toString("utf8")] : [];
	});
	return [...effects.scripts, ...read];
}

const WRITING = /write|open\s*\(|dump|save|copy|rename|move|replace|append|truncate|>|\btee\b|sed -i|^[+-]{3} /im;

/** The script names the file and writes something. */
function writesFile(script: string, absolute: string): boolean {
	const name = basename(absolute);
	for (let at = script.indexOf(name); at !== -1; at = script.indexOf(name, at + 1)) {
		const [before, after] = [script.charAt(at - 1), script.charAt(at + name.length)];
		if (!/[\w.]/.test(before) && !/\w/.test(after)) return WRITING.test(script);
	}
	return false;
}

function isGlob(path: string): boolean {
	return /[*?[]/.test(path);
}

/** Globs in the last part of a path only: more is not worth a walk over the disk. */
function expand(paths: readonly string[], files: FilePort): string[] {
	const found = new Set<string>();
	for (const path of paths) {
		if (found.size >= MAX_FILES) break;
		const folder = path.slice(0, path.lastIndexOf("/"));
		if (!isGlob(path) || files.stat(path).kind !== "absent") found.add(path);
		else if (!isGlob(folder)) {
			for (const name of files.list?.(folder) ?? []) {
				if (found.size < MAX_FILES && matchesGlob(path, `${folder}/${name}`)) found.add(`${folder}/${name}`);
			}
		}
	}
	return [...found];
}
