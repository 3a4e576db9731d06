/** How texts stand on a fleet's server. */

/** PostgreSQL's texts cannot hold NUL. Names with one are rare: it is shown as its picture. */
export function textOf(name: string): string {
	return name.toWellFormed().replaceAll("\0", "␀");
}
