/**
 * Sets and removes values in the text of someone else's JSON file. Only the bytes of these values change: a new property
 * becomes the first of its object, so that none of the user's lines gets a comma and no comment moves. A new item becomes the
 * last of its list, because some agents know items by their position.
 */
import { isDeepStrictEqual } from "node:util";
import { createScanner, findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { EngineError } from "../../base/error/engine-error.ts";

export interface JsonEdit {
	readonly path: readonly string[];
	/** The value at the path; with `isItem`, one item of the list there. */
	readonly value: unknown;
	readonly isItem?: boolean | undefined;
	/** The path is named after us: undo removes any value there. */
	readonly isOwn?: boolean | undefined;
}

/** The text with these values. Throws if a value on the path has the wrong type, and names its key. */
export function setInJson(file: string, text: string | undefined, edits: readonly JsonEdit[]): string {
	const mark = text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
	const body = text?.slice(mark.length) ?? "";
	let next = body.trim() === "" ? "{}\n" : body;
	for (const edit of edits) next = setOne(file, next, edit);
	return mark + next;
}

/** undefined: no such value. */
export function valueInJson(text: string | undefined, path: readonly string[]): unknown {
	return valueAt(nodeAt(text, path));
}

export interface TakenOut {
	readonly text: string;
	/** Keys with another value since: they belong to the user now. */
	readonly kept: readonly string[];
}

/**
 * The text without these values: each path has its value from `before` again, and objects that only held ours are gone.
 * undefined: the text is no longer a JSON object.
 */
export function takeFromJson(
	text: string,
	edits: readonly JsonEdit[],
	before: string | undefined,
): TakenOut | undefined {
	const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
	let next = text.slice(mark.length);
	if (!readObject(next)) return undefined;
	const kept: string[] = [];
	for (const edit of edits) {
		const { path, value, isItem, isOwn } = edit;
		const held = nodeAt(next, path);
		if (!held) continue;
		if (isItem) {
			const item = itemOf(held, value);
			if (!item) continue;
			next = without(next, item);
			if (nodeAt(next, path)?.children?.length === 0 && !nodeAt(before, path)) next = withoutEmpty(next, path, before);
			continue;
		}
		const old = nodeAt(before, path);
		if (old && isDeepStrictEqual(valueAt(held), valueAt(old))) continue;
		if (!isOwn && !isDeepStrictEqual(valueAt(held), value)) kept.push(path.join("."));
		else if (old) next = replaced(next, held, sourceOf(before, old));
		else next = withoutEmpty(next, path, before);
	}
	return { text: mark + next, kept };
}

const BYTE_ORDER_MARK = "\uFEFF";

function setOne(file: string, text: string, { path, value, isItem }: JsonEdit): string {
	const root = readObject(text);
	if (!root)
		throw new EngineError(
			"bad-config",
			`${file} is not a JSON object, or is nested too deeply to be read. Correct it first; nothing was written.`,
		);
	const held = findNodeAtLocation(root, [...path]);
	if (held && isItem) {
		if (held.type !== "array") throw wrongType(file, path, "a list");
		return itemOf(held, value) ? text : withItem(text, held, value);
	}
	const wanted = isItem ? [value] : value;
	if (held) {
		if (isDeepStrictEqual(valueAt(held), wanted)) return text;
		return replaced(text, held, written(wanted, indentAt(text, held.offset), text));
	}
	let parent = root;
	for (const [at, key] of path.entries()) {
		if (parent.type !== "object") throw wrongType(file, path.slice(0, at), "an object");
		const child = findNodeAtLocation(parent, [key]);
		if (child) parent = child;
		else return withProperty(text, parent, key, nested(path.slice(at + 1), wanted));
	}
	return text;
}

function wrongType(file: string, path: readonly string[], wanted: string): EngineError {
	return new EngineError(
		"bad-config",
		`'${path.join(".")}' in ${file} is not ${wanted}. Correct it first; nothing was written.`,
	);
}

function nested(path: readonly string[], value: unknown): unknown {
	return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function withProperty(text: string, parent: Node, key: string, value: unknown): string {
	const at = parent.offset + 1;
	const name = `${JSON.stringify(key)}: `;
	const isEmpty = (parent.children?.length ?? 0) === 0;
	const within = text.slice(at, endOf(parent) - 1);
	if (!isEmpty && !within.includes("\n")) {
		const blank = /^ */.exec(within)?.[0] ?? "";
		return inserted(text, at, `${blank}${name}${JSON.stringify(value)},`);
	}
	const { eol, unit } = styleOf(text);
	const outer = indentAt(text, parent.offset);
	const inner = outer + unit;
	const end = !isEmpty ? "," : within.includes("\n") ? "" : eol + outer;
	return inserted(text, at, `${eol}${inner}${name}${written(value, inner, text)}${end}`);
}

function withItem(text: string, list: Node, value: unknown): string {
	const last = list.children?.at(-1);
	const within = text.slice(list.offset, endOf(list));
	const { eol, unit } = styleOf(text);
	const outer = indentAt(text, list.offset);
	const inner = outer + unit;
	if (!last) return replaced(text, list, `[${eol}${inner}${written(value, inner, text)}${eol}${outer}]`);
	const hasComma = commaAfter(text, endOf(last)) !== undefined;
	if (!within.includes("\n")) {
		const item = ` ${JSON.stringify(value)}`;
		return hasComma ? inserted(text, endOf(list) - 1, item) : inserted(text, endOf(last), `,${item}`);
	}
	const close = text.slice(0, endOf(list) - 1).trimEnd().length;
	const added = inserted(text, close, `${eol}${inner}${written(value, inner, text)}`);
	return hasComma ? added : inserted(added, endOf(last), ",");
}

/** Removes the value at the path, and the objects around it that are empty then and were not there before. */
function withoutEmpty(text: string, path: readonly string[], before: string | undefined): string {
	let next = text;
	for (let at = path; at.length > 0; at = at.slice(0, -1)) {
		const held = nodeAt(next, at);
		if (!held) break;
		const isEmpty = at === path || (held.type === "object" && held.children?.length === 0);
		if (!isEmpty || (at !== path && nodeAt(before, at))) break;
		next = without(next, held.parent?.type === "property" ? held.parent : held);
	}
	return next;
}

/** Without a property or an item and its comma. */
function without(text: string, node: Node): string {
	const siblings = node.parent?.children ?? [];
	const before = siblings[siblings.indexOf(node) - 1];
	const from = text.slice(0, node.offset).trimEnd().length;
	const after = commaAfter(text, endOf(node));
	if (after !== undefined) return cut(cut(text, after, after + 1), from, endOf(node));
	const rest = cut(text, from, endOf(node));
	const comma = before && commaAfter(text, endOf(before));
	if (comma !== undefined) return cut(rest, comma, comma + 1);
	// The only child: usually just blanks are left between the brackets.
	const open = (node.parent?.offset ?? 0) + 1;
	const close = open + (/^\s*/.exec(rest.slice(open))?.[0].length ?? 0);
	return /[\]}]/.test(rest[close] ?? "") ? cut(rest, open, close) : rest;
}

/** The offset of the comma that follows, ignoring comments. */
function commaAfter(text: string, from: number): number | undefined {
	const scanner = createScanner(text, true);
	scanner.setPosition(from);
	scanner.scan();
	const at = scanner.getTokenOffset();
	return text[at] === "," ? at : undefined;
}

function itemOf(list: Node, value: unknown): Node | undefined {
	return list.children?.find((item) => isDeepStrictEqual(valueAt(item), value));
}

function nodeAt(text: string | undefined, path: readonly string[]): Node | undefined {
	const root = text === undefined ? undefined : parseNodes(withoutMark(text), []);
	return root && findNodeAtLocation(root, [...path]);
}

function withoutMark(text: string): string {
	return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The parser's objects have no prototype, so they would not equal ours. */
function valueAt(node: Node | undefined): unknown {
	return node && structuredClone(getNodeValue(node));
}

function sourceOf(text: string | undefined, node: Node): string {
	return withoutMark(text ?? "").slice(node.offset, endOf(node));
}

function readObject(text: string): Node | undefined {
	const errors: ParseError[] = [];
	const root = parseNodes(text, errors);
	return errors.length === 0 && root?.type === "object" ? root : undefined;
}

/** Undefined: not JSON, or nested so deeply that the parser, which recurses, cannot read it. */
function parseNodes(text: string, errors: ParseError[]): Node | undefined {
	try {
		return parseTree(text, errors, { allowTrailingComma: true });
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

function endOf({ offset, length }: Node): number {
	return offset + length;
}

function replaced(text: string, node: Node, by: string): string {
	return text.slice(0, node.offset) + by + text.slice(endOf(node));
}

function inserted(text: string, at: number, piece: string): string {
	return text.slice(0, at) + piece + text.slice(at);
}

function cut(text: string, from: number, to: number): string {
	return text.slice(0, from) + text.slice(to);
}

function written(value: unknown, indent: string, text: string): string {
	const { eol, unit } = styleOf(text);
	return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

/** The indent of the line at an offset. */
function indentAt(text: string, offset: number): string {
	const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
	return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function styleOf(text: string): { readonly eol: string; readonly unit: string } {
	return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit: /\n([ \t]+)["/]/.exec(text)?.[1] ?? "  " };
}
