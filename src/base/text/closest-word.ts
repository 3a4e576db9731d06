/** The candidate that a misspelt word most likely meant; undefined when none is near. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
	const limit = Math.max(1, Math.floor(word.length / 3));
	let best: { readonly candidate: string; readonly distance: number } | undefined;
	for (const candidate of candidates) {
		if (Math.abs(candidate.length - word.length) > limit) continue;
		const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
		if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
	}
	return best?.candidate;
}

/** The candidates nearest to a word, the nearest first, however far they are. */
export function closestFew(word: string, candidates: Iterable<string>, most: number): string[] {
	const ranked = [...candidates].map((candidate) => ({
		candidate,
		distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
	}));
	return ranked
		.toSorted((one, other) => one.distance - other.distance)
		.slice(0, most)
		.map(({ candidate }) => candidate);
}

/** Letters to add, drop, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
	let before: number[] = [];
	let above = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const change = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
			row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, change);
			const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
			if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
		}
		before = above;
		above = row;
	}
	return above[b.length]!;
}
