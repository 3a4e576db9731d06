/** The text with the project's paths as they are in the project: `src/a.ts`, not `/home/me/app/src/a.ts`. */
export function withoutRoot(text: string, root: string): string {
	return root.length < 2 ? text : text.replaceAll(`${root}/`, "").replaceAll(`${root}\\`, "");
}
