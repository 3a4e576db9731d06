/** Our table in someone else's TOML file. A mark finds it again, whatever was written around it since. */

export interface MarkedTable {
	/** The comment on the line before the table. */
	readonly mark: string;
	/** `mcp_servers.weft` */
	readonly name: string;
	/** The empty lines before the mark. */
	readonly gap: string;
}

/** The text without the table and its subtables; the same text if the table is not there. */
export function withoutTable(text: string, { mark, name, gap }: MarkedTable): string {
	const at = text.indexOf(`${mark}\n[${name}]\n`);
	if (at < 0) return text;
	const before = text.slice(0, at);
	const head = gap !== "" && before.endsWith(gap) ? before.slice(0, -gap.length) : before;
	const lines = text
		.slice(at)
		.split(/(?<=\n)/)
		.slice(2);
	// The lines after our own belong to someone else, comments included.
	const ours = lines.findIndex((line) => !/^\w+ = /.test(line));
	return `${head}${withoutSubtables(ours < 0 ? [] : lines.slice(ours), name)}`;
}

/** Codex stores the permissions of a server's tools in subtables. On their own they would define a server without a command. */
function withoutSubtables(lines: readonly string[], name: string): string {
	let isSubtable = false;
	return lines
		.filter((line) => {
			if (/^\s*\[/.test(line)) isSubtable = line.trimStart().startsWith(`[${name}.`);
			return !isSubtable;
		})
		.join("");
}
