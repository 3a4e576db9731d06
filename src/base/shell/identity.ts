/**
 * The identity of a command: the same for two runs of the same thing, however they were typed. In a line with several
 * commands, those of the highest kind (kind.ts) name it, each once, joined by ` && `; in a pipe the first of them does,
 * and the rest are filters.
 */

import { posix } from "node:path";
import { sha256 } from "../hash/sha256.ts";
import { cutStart } from "../text/cut.ts";
import { memoize } from "../text/memo.ts";
import { alters, type CommandKind, kindOf, RANK } from "./kind.ts";
import { withoutNoise } from "./noise.ts";
import { changeFolder, parseCommand } from "./parse.ts";
import type { ShellLine, ShellNode, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

export interface CommandPart {
	/** `pytest tests/a.py` */
	readonly text: string;
	/** The same, word by word, without quoting. */
	readonly words: readonly string[];
	readonly cwd: string;
}

export interface CommandIdentity {
	/** The parts joined, for people and models. */
	readonly command: string;
	/** Where the first part runs. */
	readonly cwd: string;
	readonly kind: CommandKind;
	readonly parts: readonly CommandPart[];
	/** Some command of the line may have changed files. */
	readonly alters: boolean;
}

const MAX_IDENTITY_CHARS = 200;
const MAX_WORD_CHARS = 80;

const KEPT_IDENTITIES = 64;
const identify = memoize(KEPT_IDENTITIES, readIdentity);

/** `cwd`: where the shell starts; without it folders are relative to there. */
export function commandIdentity(text: string, options: { readonly cwd?: string | undefined } = {}): CommandIdentity {
	return identify(`${options.cwd ?? "."}${BETWEEN}${text}`);
}

/** No folder's name holds it. */
const BETWEEN = "\0";

function readIdentity(placed: string): CommandIdentity {
	const at = placed.indexOf(BETWEEN);
	const [base, text] = [placed.slice(0, at), placed.slice(at + 1)];
	const line = parseCommand(text);
	if (!line.parsed) {
		const folded = shorten(fold(text), MAX_IDENTITY_CHARS);
		return {
			command: folded,
			cwd: base,
			kind: "work",
			parts: [{ text: folded, words: [folded], cwd: base }],
			alters: false,
		};
	}
	const mains = mainCommands(line);
	const parts: CommandPart[] = [];
	for (const command of mains.commands) {
		const part = partOf(command, base);
		if (!parts.some((other) => other.text === part.text && other.cwd === part.cwd)) parts.push(part);
	}
	return {
		command: shorten(parts.map((part) => part.text).join(" && "), MAX_IDENTITY_CHARS),
		cwd: parts[0]?.cwd ?? base,
		kind: mains.kind,
		parts,
		alters: line.commands.some((command) => alters(unwrap(command.words).words, command.redirects)),
	};
}

/** The main commands of a line, in their order. */
export function mainCommands(line: ShellLine): {
	readonly kind: CommandKind;
	readonly commands: readonly SimpleCommand[];
} {
	let kind: CommandKind = "scenery";
	for (const command of line.commands) {
		const own = kindOfCommand(command);
		if (RANK[own] > RANK[kind]) kind = own;
	}
	return { kind, commands: [...mainsOf(line.tree, kind)] };
}

const kinds = new WeakMap<SimpleCommand, CommandKind>();

/** Asked several times of one command. */
function kindOfCommand(command: SimpleCommand): CommandKind {
	let kind = kinds.get(command);
	if (kind === undefined) {
		kind = kindOf(unwrap(command.words).words, command.redirects);
		kinds.set(command, kind);
	}
	return kind;
}

function* mainsOf(node: ShellNode, kind: CommandKind): Iterable<SimpleCommand> {
	switch (node.kind) {
		case "simple":
			if (kindOfCommand(node.command) === kind) yield node.command;
			return;
		case "pipe":
			for (const stage of node.stages) {
				const found = [...mainsOf(stage, kind)];
				yield* found;
				if (found.length > 0) return;
			}
			return;
		case "chain":
			for (const part of node.nodes) yield* mainsOf(part, kind);
			return;
		case "list":
			for (const item of node.items) yield* mainsOf(item.node, kind);
			return;
		case "block":
			for (const body of node.bodies) yield* mainsOf(body, kind);
	}
}

function partOf(command: SimpleCommand, base: string): CommandPart {
	const unwrapped = unwrap(command.words);
	const started = changeFolder(base, command.cwd);
	const cwd = unwrapped.cwd === null ? started : changeFolder(started, unwrapped.cwd);
	const kept = withoutNoise(unwrapped.words);
	const [program, ...operands] = kept;
	const words = program === undefined ? [] : [program, ...operands.map((word) => spell(word, cwd, program))];
	const script = command.redirects.find((redirect) => redirect.operator.startsWith("<<"))?.target;
	if (script !== undefined) words.push(`<<${hash8(script)}`);
	return { text: words.map(quote).join(" "), words, cwd };
}

/** A path relative to the command's folder; temporary folders change their name each time. */
function spell(word: string, cwd: string, program: string): string {
	let spelt = word;
	if (cwd.startsWith("/") && spelt.startsWith(`${cwd}/`)) spelt = posix.relative(cwd, spelt);
	if (program !== "go" && /^\.\/[^/.]/.test(spelt)) spelt = spelt.slice(2);
	if (spelt.length > 1 && spelt.endsWith("/") && !spelt.includes("://")) spelt = spelt.slice(0, -1);
	spelt = spelt.replace(/\/(?:private\/)?(?:tmp|var\/folders)\/[^/\s]{0,80}(?:tmp|XX|\d{4,})[^\s]{0,200}/, "<tmp>");
	return shorten(spelt, MAX_WORD_CHARS);
}

function quote(word: string): string {
	if (word === "") return "''";
	if (!/[\s'"|&;<>(){}]/.test(word) || word.startsWith("<<") || word.includes("<tmp>")) return word;
	return word.includes("'") ? `"${word.replaceAll('"', '\\"')}"` : `'${word}'`;
}

function fold(text: string): string {
	return text.split(/\s+/).filter(Boolean).join(" ");
}

/** `…#` and eight digits. */
const MARK_CHARS = 10;

function shorten(text: string, limit: number): string {
	const folded = /[\n\r\t]/.test(text) ? fold(text) : text;
	if (folded.length <= limit) return folded;
	return `${cutStart(folded, limit - MARK_CHARS)}…#${hash8(text)}`;
}

function hash8(text: string): string {
	return sha256(text).slice(0, 8);
}
