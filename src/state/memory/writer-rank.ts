/** Who wrote a bullet. Ranks: the user, then a model, then state and imports. No writer changes the words of a higher rank. */

export function isModel(by: string): boolean {
	return by !== "user" && by !== "state" && by !== "import";
}
