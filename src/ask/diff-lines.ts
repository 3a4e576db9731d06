/** The lines of a unified diff. */

export function addedLines(diff: string): string[] {
	return changedLines(diff, "+");
}

export function removedLines(diff: string): string[] {
	return changedLines(diff, "-");
}

function changedLines(diff: string, sign: "+" | "-"): string[] {
	const head = sign.repeat(3);
	return diff
		.split("\n")
		.filter((line) => line.startsWith(sign) && !line.startsWith(`${head} `))
		.map((line) => line.slice(1));
}
