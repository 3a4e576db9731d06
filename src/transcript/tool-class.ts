/** What a tool does to the work, by its name. Hosts name their tools as they like; a caller may add its own names. */
export type ToolClass = "read" | "edit" | "write" | "patch" | "shell" | "agent" | "other";

export type ToolClasses = Readonly<Record<string, ToolClass>>;

/** The built-in tools of Pi, Claude Code and OpenClaw, in lower case: Claude Code writes `Read` where Pi writes `read`. */
export const BUILT_IN_CLASSES: ToolClasses = {
	read: "read",
	view: "read",
	notebookread: "read",
	edit: "edit",
	multiedit: "edit",
	notebookedit: "edit",
	write: "write",
	apply_patch: "patch",
	bash: "shell",
	powershell: "shell",
	exec: "shell",
	shell: "shell",
	task: "agent",
	agent: "agent",
	subagent: "agent",
	sessions_spawn: "agent",
};

/** The class of a tool; names given in `more` (lower case) win over the built-in ones. */
export function toolClass(tool: string, more: ToolClasses = {}): ToolClass {
	const name = tool.toLowerCase();
	if (Object.hasOwn(more, name)) return more[name]!;
	return Object.hasOwn(BUILT_IN_CLASSES, name) ? BUILT_IN_CLASSES[name]! : "other";
}
