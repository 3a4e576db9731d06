import { createInterface } from "node:readline/promises";
import type { Output } from "./output.ts";

/** Undefined: nobody can be asked. */
export async function askYes(out: Output, question: string): Promise<boolean | undefined> {
	if (!process.stdin.isTTY || !out.isTerminal || out.json) return undefined;
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	try {
		const answer = await lines.question(`${question} [y/N] `);
		return /^y(?:es)?$/i.test(answer.trim());
	} finally {
		lines.close();
	}
}
