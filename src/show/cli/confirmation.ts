import { createInterface } from "node:readline/promises";
import type { Output } from "./output.ts";

export interface Terminal {
	readonly input: NodeJS.ReadStream;
	readonly output: NodeJS.WritableStream;
}

/** Asks on the terminal. Undefined: there is none. Ctrl-C and the end of the input mean no. */
export async function askYes(
	out: Output,
	question: string,
	{ input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean | undefined> {
	if (!input.isTTY || !out.isTerminal || out.json) return undefined;
	const lines = createInterface({ input, output, terminal: true });
	try {
		const answer = await lines.question(`${question} [y/N] `);
		return /^y(?:es)?$/i.test(answer.trim());
	} catch (error) {
		if ((error as Error).name !== "AbortError") throw error;
		output.write("\n");
		return false;
	} finally {
		lines.close();
	}
}
