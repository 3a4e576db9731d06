/**
 * Finds out whose exit status the shell reported. It gives one number for the whole line, which says something about the
 * main commands only if no pipe, `|| true`, `;`, `!` or `&` hides them.
 */
import { memoize } from "../text/memo.ts";
import { mainCommands } from "./identity.ts";
import { asks } from "./kind.ts";
import { parseCommand } from "./parse.ts";
import type { ListItem, ShellNode, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

/** What each outcome of the line means for its main commands. */
export interface ExitMeaning {
	readonly zero: "pass" | "unknown";
	readonly nonzero: "fail" | "unknown";
}

const KEPT_MEANINGS = 64;

export const exitMeaning: (text: string) => ExitMeaning = memoize(KEPT_MEANINGS, readMeaning);

/** `exit 0`; for `npm test | tail`, whose status is that of `tail`: `exit 0 of its last part`. */
export function exitWords(command: string, exit: number | null): string {
	if (exit === null) return "exit unknown";
	const { zero, nonzero } = exitMeaning(command);
	return (exit === 0 ? zero : nonzero) === "unknown" ? `exit ${exit} of its last part` : `exit ${exit}`;
}

function readMeaning(text: string): ExitMeaning {
	const line = parseCommand(text);
	if (!line.parsed) {
		const plain = !/[|;&\n]/.test(text);
		return { zero: plain ? "pass" : "unknown", nonzero: plain ? "fail" : "unknown" };
	}
	const view = viewOf(line.tree, { mains: new Set(mainCommands(line).commands), pipefail: false, errexit: false });
	return { zero: view.pass ? "pass" : "unknown", nonzero: view.fail ? "fail" : "unknown" };
}

/**
 * The status that the line itself printed: `…; echo "exit: $?"`. Null when it printed no status, or the status of another command.
 */
export function printedExit(text: string, output: string): number | null {
	const line = parseCommand(text);
	if (!line.parsed || line.tree.kind !== "list") return null;
	const mains = new Set(mainCommands(line).commands);
	const { items } = line.tree;
	for (const [i, { node }] of items.entries()) {
		const previous = items[i - 1];
		if (!previous || node.kind !== "simple" || !/^(echo|printf)$/.test(node.command.words[0] ?? "")) continue;
		const said = node.command.words.slice(1).join(" ");
		const variable = STATUS.exec(said);
		if (variable === null || !tells(previous, variable[0], mains)) continue;
		const before = said.slice(0, variable.index).replace(/^-e /, "");
		return findNumber(output, before.trimStart(), said.slice(variable.index + variable[0].length).replace(/\\n$/, ""));
	}
	return null;
}

const STATUS = /\$\?|\$\{PIPESTATUS\[0\]\}|\$\{pipestatus\[1\]\}/;

interface ExitScope {
	readonly mains: ReadonlySet<SimpleCommand>;
	pipefail: boolean;
	errexit: boolean;
}

/** What a node's status means for the main commands in it. */
interface ExitView {
	/** It holds main commands. */
	readonly holds: boolean;
	/** 0 means that they all passed. */
	readonly pass: boolean;
	/** Not 0 means that one of them failed. */
	readonly fail: boolean;
	/** It holds no main command, and its own status does not mean their failure. */
	readonly asks: boolean;
	/** It always ends the line with a failure (`exit 1`). */
	readonly ends: boolean;
}

const NOTHING: ExitView = { holds: false, pass: true, fail: true, asks: false, ends: false };
const HIDDEN: ExitView = { holds: true, pass: false, fail: false, asks: false, ends: false };

function viewOf(node: ShellNode, around: ExitScope): ExitView {
	switch (node.kind) {
		case "simple":
			return viewOfSimple(node.command, around);
		case "pipe":
			return viewOfPipe(node.stages, node.negated, around);
		case "chain":
			return node.nodes
				.map((part) => viewOf(part, around))
				.reduce((left, right, i) => (node.operators[i - 1] === "&&" ? and(left, right) : or(left, right)));
		case "list":
			return viewOfList(node.items, around);
		case "block": {
			const held = node.bodies.map((body) => viewOf(body, around)).some((view) => view.holds);
			return held ? HIDDEN : { ...NOTHING, asks: true };
		}
	}
}

function viewOfSimple(command: SimpleCommand, around: ExitScope): ExitView {
	const words = unwrap(command.words).words;
	if (around.mains.has(command)) return { ...NOTHING, holds: true };
	if (words[0] === "set") {
		if (words.includes("pipefail")) around.pipefail = words.some((word) => /^-[a-z]*o$/.test(word));
		if (words.some((word) => /^-[a-z]*e/.test(word))) around.errexit = true;
	}
	const ends = words[0] === "exit" && /^[1-9]\d*$/.test(words[1] ?? "");
	return { ...NOTHING, asks: asks(words), ends };
}

function viewOfPipe(stages: readonly ShellNode[], negated: boolean, around: ExitScope): ExitView {
	const views = stages.map((stage) => viewOf(stage, around));
	const at = views.findIndex((view) => view.holds);
	if (at < 0) return { ...NOTHING, asks: true };
	if (negated) return HIDDEN;
	const own = views[at] ?? HIDDEN;
	if (at === views.length - 1) return own;
	if (!around.pipefail) return HIDDEN;
	return { ...own, fail: own.fail && views.every((view, i) => i === at || !view.asks) };
}

function viewOfList(items: readonly ListItem[], around: ExitScope): ExitView {
	let sofar: ExitView = NOTHING;
	for (const [i, item] of items.entries()) {
		const before = items[i - 1];
		const resumed = before !== undefined && resumes(before, item, around.mains);
		const view = item.background ? hide(viewOf(item.node, around)) : viewOf(item.node, around);
		if (resumed) sofar = resumed;
		else if (i === 0) sofar = view;
		else if (around.errexit) sofar = and(sofar, view);
		else if (sofar.holds) sofar = { ...view, holds: true, pass: false, fail: view.holds && view.fail };
		else sofar = view;
	}
	return sofar;
}

/** `… | tee log; exit ${PIPESTATUS[0]}` ends with the status of the command before it. */
function resumes(before: ListItem, item: ListItem, mains: ReadonlySet<SimpleCommand>): ExitView | false {
	if (item.node.kind !== "simple" || item.node.command.words[0] !== "exit") return false;
	const code = item.node.command.words[1] ?? "$?";
	return STATUS.test(code) && tells(before, code, mains) && { ...NOTHING, holds: true };
}

/** Is `variable`, right after this item, the status of the main commands? */
function tells(item: ListItem, variable: string, mains: ReadonlySet<SimpleCommand>): boolean {
	if (item.background) return false;
	const node = (item.node.kind === "chain" ? item.node.nodes.at(-1) : undefined) ?? item.node;
	if (node.kind === "pipe" && !variable.includes("?")) {
		const [first] = node.stages;
		return first?.kind === "simple" && mains.has(first.command);
	}
	const view = viewOf(item.node, { mains, pipefail: false, errexit: false });
	return view.holds && view.pass && view.fail;
}

function and(left: ExitView, right: ExitView): ExitView {
	const holds = left.holds || right.holds;
	if (!holds) return { ...NOTHING, asks: left.asks || right.asks, ends: right.ends };
	const fail = (left.holds ? left.fail : !left.asks) && (right.holds ? right.fail : !right.asks);
	return { holds, pass: (!left.holds || left.pass) && (!right.holds || right.pass), fail, asks: false, ends: false };
}

function or(left: ExitView, right: ExitView): ExitView {
	if (!left.holds && !right.holds) return { ...NOTHING, asks: left.asks || right.asks };
	if (left.holds && right.ends) return left;
	return { holds: true, pass: false, fail: left.holds ? left.fail : right.fail, asks: false, ends: false };
}

function hide(view: ExitView): ExitView {
	return view.holds ? HIDDEN : NOTHING;
}

const MAX_SEARCHED_LINES = 200;

/** The number between these two texts, in the last line of the output that has them. */
function findNumber(output: string, before: string, after: string): number | null {
	for (const whole of output.split("\n").slice(-MAX_SEARCHED_LINES).reverse()) {
		const line = whole.trim();
		if (!line.startsWith(before.trim()) || !line.endsWith(after.trim())) continue;
		const digits = line.slice(before.trim().length, line.length - after.trim().length).trim();
		if (/^\d{1,3}$/.test(digits)) return Number(digits);
	}
	return null;
}

const KNOWN_EXITS: ReadonlyMap<number, string> = new Map([
	[124, "timed out"],
	[126, "cannot be executed"],
	[127, "command not found"],
	[134, "aborted"],
	[137, "killed"],
	[139, "crashed: segmentation fault"],
	[143, "terminated"],
]);

/** `exit 1`, with the meaning of the number where all shells agree on it. */
export function describeExit(exit: number): string {
	const meaning = KNOWN_EXITS.get(exit);
	return meaning === undefined ? `exit ${exit}` : `exit ${exit}, ${meaning}`;
}
