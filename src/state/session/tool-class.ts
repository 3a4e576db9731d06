import { getKey } from "../../log/fold/keyed.ts";

/** The class of a tool, by its name. Agents name their tools as they like; a caller may add names. */
export type ToolClass =
	| "read"
	| "edit"
	| "write"
	| "patch"
	/** A separate model merges a sketch into the file. */
	| "fast-apply"
	| "shell"
	| "exact-search"
	| "semantic-search"
	| "agent"
	| "other";

export type ToolClasses = Readonly<Record<string, ToolClass>>;

/**
 * Built-in tools of the agents that weft reads, and some that are often added. In lower case: Claude Code writes `Read`
 * where Pi writes `read`.
 */
const BUILT_IN_CLASSES: ToolClasses = {
	read: "read",
	view: "read",
	notebookread: "read",
	read_file: "read",
	read_files: "read",
	edit: "edit",
	multiedit: "edit",
	notebookedit: "edit",
	replace: "edit",
	write: "write",
	write_file: "write",
	create: "write",
	apply_patch: "patch",
	morph_edit: "fast-apply",
	bash: "shell",
	powershell: "shell",
	exec: "shell",
	shell: "shell",
	exec_command: "shell",
	local_shell: "shell",
	shell_command: "shell",
	"container.exec": "shell",
	run_shell_command: "shell",
	run_commands: "shell",
	grep: "exact-search",
	rg: "exact-search",
	ripgrep: "exact-search",
	"ast-grep": "exact-search",
	ast_grep: "exact-search",
	morph_grep: "semantic-search",
	task: "agent",
	agent: "agent",
	subagent: "agent",
	spawn_agent: "agent",
	invoke_agent: "agent",
	sessions_spawn: "agent",
};

/** Names in `more` (lower case) win over the built-in ones. */
export function toolClass(tool: string, more: ToolClasses = {}): ToolClass {
	const name = tool.toLowerCase();
	return getKey(more, name) ?? getKey(BUILT_IN_CLASSES, name) ?? addedClass(name);
}

/** A tool of an MCP server, `mcp__server__tool`: only names that no agent has of its own say what it does. */
function addedClass(name: string): ToolClass {
	const [, own] = /^mcp__.+?__(.+)$/.exec(name) ?? [];
	const known = own === undefined ? undefined : getKey(BUILT_IN_CLASSES, own);
	return known === "fast-apply" || known === "semantic-search" ? known : "other";
}

/** True: a successful call of this class has changed the files that it names. */
export function changesFiles(of: ToolClass): boolean {
	return of === "edit" || of === "write" || of === "patch" || of === "fast-apply";
}
