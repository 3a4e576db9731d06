/** A small task on a small repository: parallel reads, a failing check, a wrong edit, the right one, a passing check. */
import type { ModelAnswer } from "../rig/answer.ts";
import type { ProjectFiles } from "../rig/workspace.ts";

export const FILES: ProjectFiles = {
	"src/total.sh": "# Adds two numbers.\ntotal() { echo $(($1 - $2)); }\n",
	"check.sh":
		'. ./src/total.sh\ngot=$(total 2 3)\n[ "$got" = 5 ] || { echo "FAIL total: expected 5, got $got" >&2; exit 3; }\necho "ok total"\n',
	"docs/名前.md": "合計を計算する。\n",
};

export const PROMPTS = ["The check fails. Find out why and repair it.", "ありがとう。Is there a note about it?"];

export const ANSWERS: readonly ModelAnswer[] = [
	{
		thinking: [{ text: "First the sources and the check, all at once.", signature: "c2lnbmF0dXJlLTE=" }],
		text: "I look at the files and run the check.",
		toolCalls: [
			{ id: "call_read_total", name: "read", args: { path: "src/total.sh" } },
			{ id: "call_read_check", name: "read", args: { path: "check.sh", offset: 1, limit: 2 } },
			{ id: "call_check_1", name: "bash", args: { command: "sh check.sh" } },
		],
	},
	{
		thinking: [{ text: "A minus sign. Let me edit.", signature: "c2lnbmF0dXJlLTI=" }],
		toolCalls: [
			{
				id: "call_edit_wrong",
				name: "edit",
				args: { path: "src/total.sh", edits: [{ oldText: "$1 * $2", newText: "$1 + $2" }] },
			},
		],
	},
	{
		text: "That text is not there; again.",
		toolCalls: [
			{
				id: "call_edit_right",
				name: "edit",
				args: { path: "src/total.sh", edits: [{ oldText: "$1 - $2", newText: "$1 + $2" }] },
			},
		],
	},
	{
		toolCalls: [
			{ id: "call_check_2", name: "bash", args: { command: "sh check.sh" } },
			{ id: "call_write", name: "write", args: { path: "docs/note.md", content: "# Note\n\nIt was a minus sign.\n" } },
		],
	},
	{ text: "Repaired: `total` subtracted." },
	{ toolCalls: [{ id: "call_read_name", name: "read", args: { path: "docs/名前.md" } }] },
	{ text: "Yes, in docs/note.md. 合計 means total. 🎉" },
];
