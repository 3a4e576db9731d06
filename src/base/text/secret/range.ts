/** Where a secret stands in a text: from the first character up to, and without, the last number. */
export type SecretRange = readonly [start: number, end: number];

/** Finds secrets of one kind. Pure, and linear in the length of the text. */
export type Finder = (text: string) => Iterable<SecretRange>;
