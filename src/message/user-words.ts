/** The user's own words in a message, without anything that an agent's program put around them. */

/** Blocks that programs add to a message of the user's. */
export const PROGRAM_BLOCKS = [
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
	"environment_context",
	"environment_details",
	"user_instructions",
	"turn_aborted",
	"subagent_notification",
	"user_shell_command",
	"collaboration_mode",
	"model_switch",
	"current_datetime",
	"system_reminder",
	"system_notification",
] as const;

/** Tags around the user's words, or around an attached picture. */
const TAGS = /<image name=[^>\n]*>|<\/image>|<\/?user_input\b[^>]*>/g;

/** Whole messages that a program writes in the user's name. */
const NOTICE =
	/^(?:\[Request interrupted by user|Caveat: The messages below were generated|This session is being continued from a previous conversation|# AGENTS\.md instructions|Another language model started to solve|<permissions\b|\{"task_id":)/;

/** Claude Code's words around a plan that the user approved. */
const APPROVED_PLAN = "Implement the following plan:";
const PLAN_ADVICE =
	/\n\n(?:If you need specific details from before exiting plan mode|If this plan can be broken down into multiple independent tasks)[^\n]*/g;

/** These add only a skill's text: tags of other programs in a message are the user's own. */
const PLAIN_AGENTS: ReadonlySet<string> = new Set(["pi", "openclaw"]);

export function userWords(text: string, agent: string): string {
	if (agent === "openclaw") return withoutAttachments(withoutSkill(text)).replace(TRANSCRIPT, wordsOfJson).trim();
	if (PLAIN_AGENTS.has(agent)) return withoutSkill(text).trim();
	let own = text;
	if (own.includes("<")) {
		for (const name of PROGRAM_BLOCKS) own = withoutBlock(own, name);
		own = own.replace(TAGS, "");
	}
	own = own.trim();
	if (NOTICE.test(own)) return "";
	return slashCommand(own) ?? (own.startsWith(APPROVED_PLAN) ? own.replace(PLAN_ADVICE, "").trim() : own);
}

/** A stretch of a message: the user's own words, or a block that a program put beside them. */
export interface SpokenPart {
	readonly text: string;
	/** Undefined: the user's own. */
	readonly block?: string | undefined;
}

const OPENING = new RegExp(`<(${PROGRAM_BLOCKS.join("|")})>`, "g");

/** All of a message in the user's name, in order: for people, who want to see the user's words apart from the program's. */
export function splitByProgram(text: string, agent: string): SpokenPart[] {
	if (PLAIN_AGENTS.has(agent)) return [{ text }];
	const parts: SpokenPart[] = [];
	const unclosed = new Set<string>();
	let from = 0;
	const addOwn = (end: number) => {
		const own = text.slice(from, end).trimEnd();
		if (own !== "") parts.push({ text: slashCommand(own.trimStart()) ?? own.replace(/^(?:[ \t]*\n)+/, "") });
	};
	for (const { index, 0: open, 1: block = "" } of text.matchAll(OPENING)) {
		if (index < from || unclosed.has(block)) continue;
		const close = `</${block}>`;
		const end = text.indexOf(close, index);
		if (end === -1) {
			unclosed.add(block);
			continue;
		}
		addOwn(index);
		parts.push({ block, text: text.slice(index + open.length, end).trim() });
		from = end + close.length;
	}
	addOwn(text.length);
	return parts;
}

/** Claude Code's words around the summary of a compaction: orders to the model that read it then. */
const SUMMARY_LEAD = /^This session is being continued from a previous conversation[^\n]*\n+/;
const SUMMARY_ADVICE =
	/\n*(?:If you need specific details from before compaction|Please continue the conversation from where we left (?:it )?off|Continue the conversation from where it left off)[^\n]*/g;

/** Notes that it makes before the summary, which says the same again. */
const SUMMARY_DRAFT = /^Analysis:\n[\s\S]*?\nSummary:\n/;

/** The model's own words in a summary. */
export function summaryWords(text: string): string {
	return text.replace(SUMMARY_LEAD, "").replace(SUMMARY_DRAFT, "").replace(SUMMARY_ADVICE, "").trim();
}

/** A file's text without the reminders that an agent's program put into the result of reading it. */
export function withoutReminders(text: string): string {
	return text.includes("<system-reminder>") ? withoutBlock(text, "system-reminder") : text;
}

/** `/name args`, from the tags of a slash command. */
function slashCommand(text: string): string | undefined {
	if (!text.startsWith("<command-")) return undefined;
	const name = between(text, "<command-name>", "</command-name>");
	if (name === undefined || name === "") return undefined;
	return `${name} ${between(text, "<command-args>", "</command-args>") ?? ""}`.trimEnd();
}

/** `/skill:name words`, where Pi has put the skill's whole text before the user's words. */
function withoutSkill(text: string): string {
	const name = /^<skill name="([^"\n]{1,100})" location="[^"\n]*">\n/.exec(text)?.[1];
	const end = text.indexOf("\n</skill>");
	if (name === undefined || end === -1) return text;
	return `/skill:${name} ${text.slice(end + "\n</skill>".length)}`;
}

/** A document that somebody sent, as OpenClaw writes it. The text in it cannot end the block. */
const ATTACHED_FILE = /<file [^>\n]*>[\s\S]*?<\/file>/g;
const ATTACHED_NOTE = /^\[media attached[^\n]*\]\n?/gm;
/** What a model said of a picture or a film. */
const DESCRIBED = /^\[(?:Image|Video)(?: \d+\/\d+)?\]\n(?:User text|Description):\n/m;
/** Around the words of a voice message, which are the user's. */
const SPOKEN_LABELS = /^(?:\[Audio(?: \d+\/\d+)?\]\n)?(?:User text|Transcript):\n/gm;

/** The same as a channel writes it, with the words as JSON. */
const TRANSCRIPT = /^\[Audio transcript \(machine-generated, untrusted\)\]: ("(?:[^"\\\n]|\\.)*")/gm;

/**
 * The words of a person who sent something along. Nothing after a description counts: its words come from the picture, and may look
 * like any heading.
 */
function withoutAttachments(text: string): string {
	const own = text.replace(ATTACHED_FILE, "").replace(ATTACHED_NOTE, "");
	const described = DESCRIBED.exec(own);
	if (!described) return own.startsWith("[Audio") ? own.replace(SPOKEN_LABELS, "") : own;
	const [before, section] = [own.slice(0, described.index), own.slice(described.index)];
	return `${before.replace(SPOKEN_LABELS, "")}${between(section, "]\nUser text:\n", "\nDescription:\n") ?? ""}`;
}

function wordsOfJson(whole: string, json: string): string {
	try {
		return String(JSON.parse(json));
	} catch {
		// Not what the host writes.
		return whole;
	}
}

function between(text: string, open: string, close: string): string | undefined {
	const start = text.indexOf(open);
	const end = start === -1 ? -1 : text.indexOf(close, start + open.length);
	return end === -1 ? undefined : text.slice(start + open.length, end).trim();
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
