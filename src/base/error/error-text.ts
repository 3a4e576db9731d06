/** The text of anything that was thrown: also of what throws when it is looked at. */
export function errorText(error: unknown): string {
	try {
		return String(error instanceof Error ? error.message : error);
	} catch {
		return "something without a text was thrown";
	}
}
