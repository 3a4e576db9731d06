/** A table of ours in somebody else's TOML: found again by its mark, whatever was written around it since. */

export interface MarkedTable {
	/** A comment in the line before it. */
	readonly mark: string;
	/** `mcp_servers.weft` */
	readonly name: string;
	/** Empty lines that stand before the mark. */
	readonly gap: string;
}

/** The text without the table, and without those below it. The same text where it is not there. */
export function withoutTable(text: string, { mark, name, gap }: MarkedTable): string {
	const at = text.indexOf(`${mark}\n[${name}]\n`);
	if (at < 0) return text;
	const before = text.slice(0, at);
	const head = gap !== "" && before.endsWith(gap) ? before.slice(0, -gap.length) : before;
	// What follows our lines is somebody else's, comments too.
	const lines = text
		.slice(at)
		.split(/(?<=\n)/)
		.slice(2);
	const ours = lines.findIndex((line) => !/^\w+ = /.test(line));
	return `${head}${withoutBelow(ours < 0 ? [] : lines.slice(ours), name)}`;
}

/** Codex writes what a person allows a server's tools into tables below it. Alone they would be a server without a command. */
function withoutBelow(lines: readonly string[], name: string): string {
	let isBelow = false;
	return lines
		.filter((line) => {
			if (/^\s*\[/.test(line)) isBelow = line.trimStart().startsWith(`[${name}.`);
			return !isBelow;
		})
		.join("");
}
