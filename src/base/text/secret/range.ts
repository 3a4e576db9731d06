/** A secret's position in a text: start included, end excluded. */
export type SecretRange = readonly [start: number, end: number];

/** Finds secrets of one kind. Pure, and linear in the length of the text. */
export type Finder = (text: string) => Iterable<SecretRange>;
