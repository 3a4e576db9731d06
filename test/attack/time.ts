/** How long the attacks last: each has a modest count at rest, and `WEFT_ATTACK_SCALE` multiplies it. */

/** How many rounds an attack runs, of which `atRest` is the count when nobody asks for more; at least one. */
export function rounds(atRest: number): number {
	const scale = Number(process.env["WEFT_ATTACK_SCALE"] ?? "1");
	return Math.max(1, Math.round(atRest * (Number.isFinite(scale) && scale > 0 ? scale : 1)));
}
