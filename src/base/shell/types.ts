/** A shell line as plain data, independent of the parser. */

export interface Redirect {
	readonly operator: string;
	/** The descriptor written before the operator; null: the operator's own. */
	readonly fd: number | null;
	/** A file, a descriptor, or the body of a here-document. */
	readonly target: string;
}

/** The operator between a command and the one before it. */
export type Joint = "start" | "&&" | "||" | ";" | "&" | "|";

export interface SimpleCommand {
	/** Name and arguments, quotes removed, expansions as they are written. Wrappers (`time`, `env`, `npx`, …) included. */
	readonly words: readonly string[];
	readonly env: readonly (readonly [name: string, value: string])[];
	readonly redirects: readonly Redirect[];
	readonly joint: Joint;
	/** Its folder, as far as `cd` shows: relative to where the shell started, `.` there. */
	readonly cwd: string;
}

/** The line as a tree, which decides the exit status of the whole. */
export type ShellNode =
	| { readonly kind: "simple"; readonly command: SimpleCommand }
	| { readonly kind: "pipe"; readonly stages: readonly ShellNode[]; readonly negated: boolean }
	| { readonly kind: "chain"; readonly nodes: readonly ShellNode[]; readonly operators: readonly ("&&" | "||")[] }
	| { readonly kind: "list"; readonly items: readonly ListItem[] }
	/** if, for, while, case: whether and how often its bodies run is not known. */
	| { readonly kind: "block"; readonly bodies: readonly ShellNode[] };

export interface ListItem {
	readonly node: ShellNode;
	readonly background: boolean;
}

export interface ShellLine {
	/** False: not bash, or too long to parse; `commands` is empty then. */
	readonly parsed: boolean;
	/** All simple commands in the order they are written; those of `bash -c "…"` in its place. */
	readonly commands: readonly SimpleCommand[];
	/** Redirections of a whole group or loop, and the folder that the shell is in there. */
	readonly groupRedirects: readonly { readonly redirect: Redirect; readonly cwd: string }[];
	/** `commands` does not show all that may run: a function, or a command inside a word. */
	readonly hides: boolean;
	/** Functions and coprocesses, as they are written. */
	readonly hidden: readonly string[];
	readonly tree: ShellNode;
}
