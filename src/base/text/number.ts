/** Numbers as people read them: the same on every machine, whatever its locale. */

/** `912`, `28.9k`, `100k`, `4.43M`. */
export function formatKilo(count: number): string {
	if (count < 1_000) return String(Math.round(count));
	if (count >= 999_950) return `${(count / 1e6).toFixed(2)}M`;
	return `${(count / 1_000).toFixed(1).replace(/\.0$/, "")}k`;
}

/** `12.3 %` of a share from 0 to 1; `–` where there is none. */
export function formatPercent(share: number | null): string {
	return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

/** `$1.20`, `-$0.05`. */
export function formatDollars(amount: number): string {
	return `${amount < 0 ? "-" : ""}$${Math.abs(amount).toFixed(2)}`;
}
