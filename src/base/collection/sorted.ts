/** The length of the longest beginning whose items all pass, in a list where the passing items come first. */
export function partitionPoint<Item>(items: readonly Item[], passes: (item: Item) => boolean): number {
	let [low, high] = [0, items.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		const item = items[middle];
		if (item !== undefined && passes(item)) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** How many items two lists begin with in common. */
export function commonLength<Item>(
	a: readonly Item[],
	b: readonly Item[],
	isSame: (one: Item, other: Item) => boolean,
): number {
	const differing = a.findIndex((item, at) => {
		const other = b[at];
		return other === undefined || !isSame(item, other);
	});
	return differing === -1 ? a.length : differing;
}
