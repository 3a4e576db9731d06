/** A session saved as one HTML file carries its data along. */
export interface SavedFile {
	readonly version: string;
	readonly made: number;
	readonly unmasked: boolean;
	readonly start: string;
	readonly project: { readonly key: string; readonly name: string; readonly root: string };
	readonly session: string;
	readonly pages: Readonly<Record<string, unknown>>;
}

const element = document.getElementById("data");
/** Undefined when a server delivered the page. */
export const savedFile: SavedFile | undefined = element?.textContent
	? (JSON.parse(element.textContent) as SavedFile)
	: undefined;
