/** Names an event within its session and host by what it was read from. */
export function entryName({
	type,
	entry,
}: {
	readonly type: string;
	readonly entry?: string | null | undefined;
}): string {
	return `${type} ${entry ?? ""}`;
}
