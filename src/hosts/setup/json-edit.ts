/** Values in a JSON file of somebody else: set and taken out in its text. Comments, order and indentation stay. */
import { isDeepStrictEqual } from "node:util";
import { applyEdits, findNodeAtLocation, getNodeValue, modify, type ParseError, parse, parseTree } from "jsonc-parser";

export interface JsonEdit {
	readonly path: readonly string[];
	readonly value: unknown;
}

/** The text with these values in it; undefined where it is not a JSON object, with or without comments. */
export function setInJson(text: string | undefined, edits: readonly JsonEdit[]): string | undefined {
	let next = text === undefined || text.trim() === "" ? "{}\n" : text;
	if (!isObject(next)) return undefined;
	const formattingOptions = formatOf(next);
	for (const { path, value } of edits) {
		if (isDeepStrictEqual(valueInJson(next, path), value)) continue;
		next = applyEdits(next, modify(next, [...path], value, { formattingOptions }));
	}
	return next;
}

/** undefined: there is none. */
export function valueInJson(text: string | undefined, path: readonly string[]): unknown {
	const tree = parseTree(text ?? "{}", [], { allowTrailingComma: true });
	const node = tree && findNodeAtLocation(tree, [...path]);
	// The parser's objects have no prototype: they would not equal ours.
	return node && structuredClone(getNodeValue(node));
}

/**
 * The text without these values: each place has again what it had in `before`, and objects that only held ours are gone.
 * undefined where somebody has set one of them to something else.
 */
export function takeFromJson(text: string, edits: readonly JsonEdit[], before: string | undefined): string | undefined {
	if (!isObject(text)) return undefined;
	const formattingOptions = formatOf(text);
	let next = text;
	for (const { path, value } of edits) {
		const held = valueInJson(next, path);
		if (held === undefined) continue;
		if (!isDeepStrictEqual(held, value)) return undefined;
		const old = valueInJson(before, path);
		next = applyEdits(next, modify(next, [...path], old, { formattingOptions }));
		for (let outer = path.slice(0, -1); outer.length > 0; outer = outer.slice(0, -1)) {
			const around = valueInJson(next, outer);
			const isEmpty = typeof around === "object" && around !== null && Object.keys(around).length === 0;
			if (!isEmpty || valueInJson(before, outer) !== undefined) break;
			next = applyEdits(next, modify(next, [...outer], undefined, { formattingOptions }));
		}
	}
	return next;
}

function isObject(text: string): boolean {
	const errors: ParseError[] = [];
	const value: unknown = parse(text, errors, { allowTrailingComma: true });
	return errors.length === 0 && typeof value === "object" && value !== null && !Array.isArray(value);
}

function formatOf(text: string) {
	const indent = /\n([ \t]+)["/]/.exec(text)?.[1] ?? "  ";
	return {
		insertSpaces: !indent.startsWith("\t"),
		tabSize: indent.startsWith("\t") ? 1 : indent.length,
		eol: text.includes("\r\n") ? "\r\n" : "\n",
	};
}
