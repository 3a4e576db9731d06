/** What an attack did, in one line that people and `npm run attack` read. */
export function tellCount(attack: string, counts: Readonly<Record<string, number>>): void {
	const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
	console.log(`attack: ${attack}: ${parts.join(", ")}`);
}

/** Equally spread numbers in [0, 1): the same for one seed. `WEFT_ATTACK_SEED` starts another series. */
export function randomFrom(seed: number): () => number {
	let state = (seed + Number(process.env["WEFT_ATTACK_SEED"] ?? "0") * 7_919) | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	};
}
