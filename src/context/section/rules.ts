/** Why each section of a seed holds what it holds: for whoever asks what is in a request that was sealed before. */
const RULES: Readonly<Record<string, string>> = {
	header: "says what the text is, and of which project",
	asked: "what the user asked to keep, and the lines that speak of it",
	standing: "Current State: the request, what was done for it, what was said last",
	next: "Next Steps: of SESSION.md, the plan, or what was announced",
	users: "the user's own words, the newest first",
	plans: "the newest plan and todo list",
	decisions: "decisions that were written down",
	blocks: "what the guard refused lately",
	failures: "failures that are open",
	resolved: "failures that were resolved lately",
	commands: "the newest commands and how they ended",
	remarks: "what the agent said last",
	files: "lines of files by the heat of their reads and changes",
	paths: "paths that came by, the newest first",
	ledger: "files that were read or changed, the newest first",
	history: "summaries of what left, with their handles",
};

export function sectionRule(name: string): string {
	return RULES[name] ?? (/^s-[0-9a-f]+$/.test(name) ? "a summary of what left" : "a part of what opens the request");
}
