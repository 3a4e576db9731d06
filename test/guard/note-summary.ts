/** A note or a refusal in short: who, which file, which way. `own a.ts -beta two +BETA`. */

const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
	[/^Changed by this call: (.+)$/, "own"],
	[/^Changed while this call ran, by it or by somebody else: (.+)$/, "maybe"],
	[/^Changed on disk by somebody else: (.+)$/, "other"],
	[/^Changed on disk by a command that you left running, or by somebody else: (.+)$/, "left"],
	[/^While this call ran, a formatter, or somebody else, changed (.+?) too/, "beside"],
	[/^(.+?) is not what this call wrote: a formatter, or somebody else/, "beside"],
	[
		/^(.+?) has changed on disk since you last saw it \(#\d+\)(?: by another session \([^)]*\))?\. Your old text/,
		"since",
	],
	[/^(.+?) has changed on disk since you last saw it \(#\d+\)(?: by another session \([^)]*\))?\. Nothing/, "refused"],
	[/^(.+?) was changed(?: in .+)?, and you have not seen that yet\. The old/, "unseen"],
	[/^(.+?) was written while a command of yours ran and has not been shown/, "unseen"],
	[/^The change of (.+?) is in .+, which had not been shown/, "unseen"],
	[
		/^While this command ran, (?:a text|texts) that you had not seen left the disk: (.+)\. All of it was kept first\..* weft rewind .*--to \d+(?: --into "\$\(mktemp -d\)")? --yes$/,
		"taken",
	],
	[/^The old text is not in (.+?)\. The lines/, "nearest"],
	[
		/^This read found nothing, because another call of the same answer was writing (.+?)\. (?:It is now|Before that call it was)/,
		"filled",
	],
	[/^This call turned letters of (.+?) that are not UTF-8 into/, "letters"],
	[/^This call gave all lines of (.+?) one line end/, "line ends"],
];

/** A longer diff is only counted. */
const MAX_LINES = 6;

export function summarizeNote(note: string): string {
	const [head = "", ...rest] = note.split("\n");
	for (const [pattern, kind] of KINDS) {
		const found = pattern.exec(head)?.[1];
		if (found === undefined) continue;
		const files = found
			.split(/, (?=[^()]*(?:\(|$))/)
			.map((file) => file.replace(/ \(\+\d+\/−\d+\)\.?.*$/, "").replace(/: lcm_expand\("b-[0-9a-f]{12}"\)/, ""))
			.map((file) => file.replace(/ \((deleted|removed|overwritten|put back to the last commit)\)\.?.*$/, " ($1)"));
		return [kind, files.join(", "), changesIn(rest)].filter((part) => part !== "").join(" ");
	}
	return `? ${note}`;
}

function changesIn(lines: readonly string[]): string {
	const changes = lines.filter((line) => /^[-+]/.test(line) && !/^(?:---|\+\+\+) /.test(line));
	return changes.length > MAX_LINES ? `${changes.length} lines` : changes.join(" ");
}
