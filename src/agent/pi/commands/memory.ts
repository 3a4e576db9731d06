/** `/memory`: the memory files, and changes by hand. Shows the same views as `weft memory`. */
import { renderFound, renderMemory, searchMemory, viewMemory } from "../../../view/memory.ts";
import { addMemory, editMemory, forgetMemory } from "../../../view/memory-edits.ts";
import { renderRecall, viewRecall } from "../../../view/memory-recall.ts";
import { memoryHistory, memoryStory, renderMemoryHistory, renderStory } from "../../../view/memory-story.ts";
import { PLAIN } from "../../../view/text-style.ts";
import { explainRecall } from "../../live/recall-block.ts";
import { type CommandInput, firstWord, MEMORY_CHOICES, splitWords } from "./command-input.ts";

const MAX_WRITES = 30;

export async function run({ live, args }: CommandInput): Promise<string> {
	const [word, rest] = firstWord(args);
	const { engine, session } = live;
	const hand = { now: Date.now(), why: "command", by: session } as const;
	switch (word) {
		case "":
		case "show":
			return renderMemory(viewMemory(engine, session), PLAIN).join("\n");
		case "search": {
			if (rest === "") return "Say what to look for: /memory search WORDS";
			const found = renderFound(searchMemory(engine, splitWords(rest)), PLAIN);
			return found.length === 0 ? "Memory holds nothing about that." : found.join("\n");
		}
		case "recall": {
			if (rest === "") return "Say what about: /memory recall WORDS";
			const view = viewRecall(rest, await explainRecall(engine, rest, Date.now()));
			return [...renderRecall(view, PLAIN, { explain: true })].join("\n");
		}
		case "add":
			if (rest === "") return "Say what to remember: /memory add TEXT";
			return `Written: ${addMemory(engine, { text: rest, section: "Facts" }, hand).ops.at(-1)?.id}`;
		case "edit": {
			const [id, text] = firstWord(rest);
			if (text === "") return "Say what it should be: /memory edit ID TEXT";
			return `Written: ${editMemory(engine, id, text, hand).ops.at(-1)?.id}, in place of ${id}`;
		}
		case "forget":
			if (rest === "") return "Say which: /memory forget ID";
			return `Forgotten: ${forgetMemory(engine, rest, hand).text}`;
		case "why":
			if (rest === "") return "Say which: /memory why ID";
			return renderStory(memoryStory(engine, rest), PLAIN).join("\n");
		case "history":
			return renderMemoryHistory(memoryHistory(engine, MAX_WRITES), PLAIN).join("\n");
		default:
			return help(word);
	}
}

function help(word: string): string {
	const rows = Object.entries(MEMORY_CHOICES).map(([choice, what]) => `  /memory ${choice.padEnd(8)} ${what}`);
	return [`Unknown command '/memory ${word.slice(0, 40)}'.`, ...rows].join("\n");
}
