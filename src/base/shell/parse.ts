/**
 * Parses a shell line into simple commands, with their folders and how they are joined. It never runs or expands
 * anything and never throws: a line that is not bash comes back as `parsed: false`. The parser is linear on ordinary
 * lines but quadratic on some hostile ones (`{{{{`, `<<A <<A`), so longer lines are not parsed.
 */
import { posix } from "node:path";
import { type Command, type CommandNode, type CompoundList, type PipelineNode, parse, type Statement } from "unbash";
import { memoize } from "../text/memo.ts";
import type { Joint, ListItem, Redirect, ShellLine, ShellNode, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

export const MAX_PARSED_CHARS = 16_000;
const MAX_BRACES = 500;
const MAX_HEREDOCS = 100;
const MAX_SCRIPT_DEPTH = 3;

const KEPT_LINES = 32;

export const parseCommand: (text: string) => ShellLine = memoize(KEPT_LINES, readLine);

function readLine(text: string): ShellLine {
	const reader: ShellReader = {
		...{ commands: [], groupRedirects: [], quotedBodies: [], hidden: [], text },
		...{ cwd: ".", depth: 0, broken: false, hides: false },
	};
	const tree = readScript(reader, text, "start");
	if (reader.broken) return NOT_PARSED;
	const hides = reader.hides || SUBSTITUTION.test(withoutSpans(text, reader.quotedBodies));
	const { commands, groupRedirects, hidden } = reader;
	return { parsed: true, commands, groupRedirects, hides, hidden, tree };
}

const NOT_PARSED: ShellLine = {
	parsed: false,
	commands: [],
	groupRedirects: [],
	hides: true,
	hidden: [],
	tree: { kind: "list", items: [] },
};

/** `$(…)`, `<(…)` and the like run commands wherever they are: in a word, a loop's list, a test or a here-document. */
const SUBSTITUTION = /`|[$<>]\(/;

function withoutSpans(text: string, spans: readonly (readonly [from: number, to: number])[]): string {
	let rest = text;
	for (const [from, to] of [...spans].sort((a, b) => b[0] - a[0])) rest = rest.slice(0, from) + rest.slice(to);
	return rest;
}

/** `cd to` from `cwd`. `-` and the like stay unresolved, but the same each time. */
export function changeFolder(cwd: string, to: string | undefined): string {
	if (to === undefined) return "~";
	if (to.startsWith("/") || to.startsWith("~") || to.startsWith("$") || to === "-") return trimSlash(to);
	return trimSlash(posix.join(cwd, to));
}

interface ShellReader {
	readonly commands: SimpleCommand[];
	readonly groupRedirects: { readonly redirect: Redirect; readonly cwd: string }[];
	cwd: string;
	depth: number;
	broken: boolean;
	/** Bodies of here-documents that the shell takes as they are: from, to. */
	readonly quotedBodies: (readonly [from: number, to: number])[];
	hides: boolean;
	readonly hidden: string[];
	/** That is being read. */
	text: string;
}

function readScript(reader: ShellReader, text: string, joint: Joint): ShellNode {
	if (!fitsParser(text)) {
		reader.broken = true;
		return { kind: "list", items: [] };
	}
	let script: ReturnType<typeof parse>;
	try {
		script = parse(text);
	} catch {
		reader.broken = true;
		return { kind: "list", items: [] };
	}
	if (script.errors !== undefined && script.errors.length > 0) reader.broken = true;
	const outer = reader.text;
	reader.text = text;
	const read = readStatements(reader, script.commands, joint);
	reader.text = outer;
	return read;
}

function fitsParser(text: string): boolean {
	if (text.length > MAX_PARSED_CHARS) return false;
	let braces = 0;
	let heredocs = 0;
	for (let i = 0; i < text.length; i++) {
		if (text[i] === "{" && ++braces > MAX_BRACES) return false;
		if (text[i] === "<" && text[i + 1] === "<" && ++heredocs > MAX_HEREDOCS) return false;
	}
	return true;
}

function readStatements(reader: ShellReader, statements: readonly Statement[], joint: Joint): ShellNode {
	const items: ListItem[] = [];
	let next = joint;
	for (const statement of statements) {
		const background = statement.background === true;
		const cwd = reader.cwd;
		items.push({ node: readNode(reader, statement.command, next), background });
		if (background) reader.cwd = cwd;
		next = background ? "&" : ";";
	}
	return { kind: "list", items };
}

function readNode(reader: ShellReader, node: Statement["command"], joint: Joint): ShellNode {
	if (node.type === "AndOr") {
		const nodes = node.commands.map((part, i) => readNode(reader, part, node.operators[i - 1] ?? joint));
		return { kind: "chain", nodes, operators: node.operators };
	}
	return readPipeline(reader, node, joint);
}

function readPipeline(reader: ShellReader, node: PipelineNode, joint: Joint): ShellNode {
	if (node.type !== "Pipeline") return readCommand(reader, node, joint);
	const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
	const [only, ...others] = node.commands;
	if (only && others.length === 0 && !negated) return readCommand(reader, only, joint);
	const cwd = reader.cwd;
	const stages = node.commands.map((part, i) => readCommand(reader, part, i === 0 ? joint : "|"));
	if (stages.length > 1) reader.cwd = cwd; // each stage is a subshell
	return { kind: "pipe", stages, negated };
}

function readCommand(reader: ShellReader, node: CommandNode, joint: Joint): ShellNode {
	switch (node.type) {
		case "Command":
			return readSimple(reader, node, joint);
		case "Redirected":
			for (const redirect of node.redirects)
				reader.groupRedirects.push({ redirect: readRedirect(reader, redirect), cwd: reader.cwd });
			return readCommand(reader, node.command, joint);
		case "BraceGroup":
			return readStatements(reader, node.body.commands, joint);
		case "Subshell": {
			const cwd = reader.cwd;
			const body = readStatements(reader, node.body.commands, joint);
			reader.cwd = cwd;
			return body;
		}
		case "If":
			return readBlock(
				reader,
				[
					node.clause,
					node.then,
					...node.elif.flatMap((elif) => [elif.clause, elif.then]),
					...(node.else ? [node.else] : []),
				],
				joint,
			);
		case "While":
			return readBlock(reader, [node.clause, node.body], joint);
		case "For":
		case "ArithmeticFor":
		case "Select":
			return readBlock(reader, [node.body], joint);
		case "Case":
			return readBlock(
				reader,
				node.items.map((item) => item.body),
				joint,
			);
		case "Function":
		case "Coproc":
			// A function's body runs elsewhere or never; the exit of coproc belongs to no command.
			reader.hides = true;
			reader.hidden.push(reader.text.slice(node.pos, node.end));
			return { kind: "list", items: [] };
		default:
			// Tests and arithmetic run nothing.
			return { kind: "list", items: [] };
	}
}

function readBlock(reader: ShellReader, bodies: readonly CompoundList[], joint: Joint): ShellNode {
	return { kind: "block", bodies: bodies.map((body) => readStatements(reader, body.commands, joint)) };
}

function readSimple(reader: ShellReader, node: Command, joint: Joint): ShellNode {
	const words: string[] = node.name === undefined ? [] : [node.name.value];
	for (const word of node.args) words.push(word.type === "Word" ? word.value : word.text);
	const unwrapped = unwrap(words);
	if (unwrapped.script !== null && reader.depth < MAX_SCRIPT_DEPTH) {
		// A variable can make the shell run more than the line inside, as `BASH_ENV` does.
		reader.hides ||= node.prefix.length > 0;
		for (const redirect of node.redirects)
			reader.groupRedirects.push({ redirect: readRedirect(reader, redirect), cwd: reader.cwd });
		return readInner(reader, unwrapped.script, joint);
	}

	const command: SimpleCommand = {
		words,
		env: node.prefix.flatMap((part) =>
			part.type === "Assignment"
				? [[part.name, part.value.type === "Word" ? part.value.value : part.text] as const]
				: [],
		),
		redirects: node.redirects.map((redirect) => readRedirect(reader, redirect)),
		joint,
		cwd: reader.cwd,
	};
	reader.commands.push(command);
	const [name, ...rest] = unwrapped.words;
	if (name === "cd" || name === "pushd") {
		reader.cwd = changeFolder(
			reader.cwd,
			rest.find((word) => word === "-" || !word.startsWith("-")),
		);
	}
	return { kind: "simple", command };
}

/** `bash -c "…"`: the line inside, as a subshell. */
function readInner(reader: ShellReader, script: string, joint: Joint): ShellNode {
	const cwd = reader.cwd;
	reader.depth++;
	const body = readScript(reader, script, joint);
	reader.depth--;
	reader.cwd = cwd;
	return body;
}

function readRedirect(reader: ShellReader, redirect: Command["redirects"][number]): Redirect {
	if (redirect.type === "HereDoc" && redirect.delimiter?.quoted === true && reader.depth === 0)
		reader.quotedBodies.push([redirect.body.pos, redirect.body.end]);
	const fd = redirect.descriptor?.type === "FileDescriptor" ? redirect.descriptor.value : null;
	const target = redirect.type === "HereDoc" ? redirect.body.text : (redirect.target?.value ?? "");
	return { operator: redirect.operator, fd, target };
}

function trimSlash(path: string): string {
	return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
