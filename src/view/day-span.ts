/** One day, or a span of days with both its ends, as it is in an address: `2026-11-15`, `2026-11-15..2026-11-20`. */

export function daySpan(one: string, other: string): string {
	const [from, to] = one < other ? [one, other] : [other, one];
	return from === to ? from : `${from}..${to}`;
}

export function isInDays(day: string, span: string | undefined): boolean {
	if (span === undefined) return false;
	const [from = "", to = from] = span.split("..");
	return from <= day && day <= to;
}
