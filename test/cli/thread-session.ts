/** A session of Claude Code with a task, rules, a correction, a plan with proof, and a step that is next. */

export const THREAD_SESSION = "7c1e5a40-0000-4000-8000-0000000000aa";
export const TASK =
	"Build the tide table of the harbour: read the gauges from gauges.csv, compute high and low water for each day, and write it to tides.json with one entry per day.";
export const RULE = "Never touch README.md.";
export const OLD_RULE = "Always run the preview on port 7443.";
export const CORRECTION = "No, the harbour datum is 3.42, not 3.24.";
export const NEWEST = "Add the moon phase to each entry now.";
export const COMMIT = "[main 4be1c0f] Compute high and low water";

export function threadSession(cwd: string, id = THREAD_SESSION): object[] {
	const lines: object[] = [];
	let parent: string | null = null;
	const add = (message: { readonly role: string }) => {
		const uuid = `u${lines.length}`;
		const timestamp = new Date(Date.UTC(2026, 2, 1, 10, 0, lines.length)).toISOString();
		lines.push({
			type: message.role,
			uuid,
			parentUuid: parent,
			sessionId: id,
			cwd,
			isSidechain: false,
			timestamp,
			message,
		});
		parent = uuid;
	};
	const user = (text: string) => add({ role: "user", ...{ content: text } });
	const say = (...content: object[]) =>
		add({ role: "assistant", ...{ id: `m${lines.length}`, model: "claude-x", content } });
	const text = (words: string) => ({ type: "text", text: words });
	const call = (name: string, input: object, output: string) => {
		const toolId = `t${lines.length}`;
		say({ type: "tool_use", id: toolId, name, input });
		add({ role: "user", ...{ content: [{ type: "tool_result", tool_use_id: toolId, content: output }] } });
	};
	const todo = (...states: readonly string[]) => {
		const names = ["Read the gauges", "Compute high and low water", "Write tides.json"];
		call(
			"TodoWrite",
			{ todos: names.map((content, at) => ({ content, status: states[at], activeForm: content })) },
			"Todos have been modified successfully.",
		);
	};
	user(TASK);
	say(text("I read the gauges first."));
	todo("in_progress", "pending", "pending");
	call("Read", { file_path: `${cwd}/gauges.csv` }, "     1\tday,height\n     2\t1,3.9\n");
	user(`${RULE} ${OLD_RULE}`);
	say(text("Understood."));
	user(CORRECTION);
	call("Edit", { file_path: `${cwd}/tides.mjs`, old_string: "3.24", new_string: "3.42" }, "The file has been updated.");
	call(
		"Bash",
		{ command: "node --test && git commit -am 'Compute high and low water'" },
		`ℹ tests 4\nℹ pass 4\nℹ fail 0\n${COMMIT}\n 1 file changed, 1 insertion(+)`,
	);
	todo("completed", "completed", "in_progress");
	user("The preview runs on port 8443 now, not 7443.");
	say(text("The preview is there now. The cause of the wrong noon entry was the time zone of the gauge."));
	user(NEWEST);
	say(text("I will add the moon phase after tides.json is written. Next, I write tides.json."));
	return lines;
}
