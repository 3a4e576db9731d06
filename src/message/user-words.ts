/** The user's own words in a message, without what the agents' programs put around them. */

/** Blocks that a program adds to a message of the user's. */
const PROGRAM_BLOCKS = [
	"system-reminder",
	"local-command-caveat",
	"local-command-stdout",
	"local-command-stderr",
	"bash-input",
	"bash-stdout",
	"bash-stderr",
	"task-notification",
	"ide_opened_file",
	"ide_selection",
	"command-message",
	"environment_context",
	"user_instructions",
	"turn_aborted",
	"subagent_notification",
	"permissions",
] as const;

const NOTICE = /^(?:\[Request interrupted by user|Caveat: The messages below were generated|This session is being continued from a previous conversation|# AGENTS\.md instructions|Another language model started to solve)/;

export function userWords(text: string): string {
	let own = text;
	for (const name of PROGRAM_BLOCKS) own = withoutBlock(own, name);
	own = own.trim();
	if (NOTICE.test(own)) return "";
	return slashCommand(own) ?? own;
}

/** `/name args`, from the tags of a slash command. */
function slashCommand(text: string): string | undefined {
	const name = /<command-name>([\s\S]*?)<\/command-name>/.exec(text)?.[1]?.trim();
	if (name === undefined) return undefined;
	const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim() ?? "";
	return args === "" ? name : `${name} ${args}`;
}

function withoutBlock(text: string, name: string): string {
	const [open, close] = [`<${name}>`, `</${name}>`];
	const kept: string[] = [];
	let from = 0;
	for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
		const end = text.indexOf(close, start);
		if (end === -1) break;
		kept.push(text.slice(from, start));
		from = end + close.length;
	}
	return kept.join("") + text.slice(from);
}
