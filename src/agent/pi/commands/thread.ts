/** `/thread`: the thread of this session, and the user's marks on it. Shows the same view as `weft thread`. */
import { PLAIN } from "../../../view/text-style.ts";
import { markThread, renderMarked, renderThreadView, viewThread } from "../../../view/thread.ts";
import { type CommandInput, firstWord, THREAD_CHOICES } from "./command-input.ts";

const FOOTER = "/thread pin ID keeps an item, /thread strike ID removes it.";

export async function run({ live, args }: CommandInput): Promise<string> {
	const [word, rest] = firstWord(args);
	const { engine, session } = live;
	switch (word) {
		case "":
		case "show":
			return renderThreadView(viewThread(engine, session), PLAIN, { footer: FOOTER, more: "/thread all" }).join("\n");
		case "all": {
			const view = viewThread(engine, session, { all: true });
			return renderThreadView(view, PLAIN, { footer: FOOTER, chars: Number.POSITIVE_INFINITY }).join("\n");
		}
		case "pin":
		case "strike":
		case "clear":
			if (rest === "") return `Say which: /thread ${word} ID`;
			return renderMarked(markThread(engine, session, rest, word, Date.now()), PLAIN).join("\n");
		default:
			return help(word);
	}
}

function help(word: string): string {
	const rows = Object.entries(THREAD_CHOICES).map(([choice, what]) => `  /thread ${choice.padEnd(6)} ${what}`);
	return [`Unknown command '/thread ${word.slice(0, 40)}'.`, ...rows].join("\n");
}
