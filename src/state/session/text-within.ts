/** Where agents put a file's text within a result, when nothing beside it says so. The hash of a read proves which of these it was. */

export function* textsWithin(output: string): Generator<string> {
	// Codex: a head that tells of the command.
	const at = output.indexOf(HEAD_END);
	if (at >= 0) yield output.slice(at + HEAD_END.length);
	// opencode: numbered lines, and a sentence at the end.
	const numbered = /<content>\n([\s\S]*?)\n(?:\n\([^\n]*\)\n)?<\/content>/.exec(output)?.[1];
	if (numbered === undefined) return;
	const text = numbered.replaceAll(/^\d+: /gm, "");
	yield text;
	yield `${text}\n`;
}

const HEAD_END = "\nOutput:\n";
