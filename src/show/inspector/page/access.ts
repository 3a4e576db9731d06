/**
 * The token of the inspector's launch, or of one project. It comes after the `#` of the first address, which a browser sends to no server, and
 * goes back in a header. It is kept for other tabs and reloads in the storage of this very origin, port included: a cookie
 * would go to every server on 127.0.0.1.
 */
import { savedFile } from "./saved-file.ts";

const STORED = "weft-token";
const GIVEN = /^#token=([\w-]+)$/;

let token = "";
let tokensOfProjects: ReadonlyMap<string, string> = new Map();

/** Called once, before the first page is shown. */
export function readToken(): void {
	if (savedFile) return;
	const given = GIVEN.exec(location.hash)?.[1];
	if (given !== undefined) {
		// The address of one project must not take the others from a tab that has them, when it is reloaded.
		sessionStorage.setItem(STORED, given);
		localStorage.setItem(STORED, given);
		// Neither the history nor a copied link holds it.
		history.replaceState(null, "", location.pathname + location.search);
	}
	token = given ?? sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED) ?? "";
}

/** Asks the inspector. */
export function ask(path: string, init: RequestInit = {}): Promise<Response> {
	return fetch(path, { ...init, headers: { accept: "application/json", authorization: `Bearer ${token}` } });
}

export function rememberTokens(projects: readonly { readonly key: string; readonly token?: string }[]): void {
	tokensOfProjects = new Map(projects.map((project) => [project.key, project.token ?? token]));
}

/** For the project of the page alone: it is pasted elsewhere. */
export function curlCommand(path: string): string {
	const of = tokensOfProjects.get(/^\/p\/([0-9a-f]{16})\//.exec(path)?.[1] ?? "") ?? token;
	return `curl -H 'Authorization: Bearer ${of}' '${location.origin}${path}'`;
}

/** Follows a link to data: a browser's own request would not carry the token. */
export async function openData(link: HTMLAnchorElement): Promise<void> {
	const response = await ask(link.href);
	const url = URL.createObjectURL(await response.blob());
	if (!link.hasAttribute("download")) {
		window.open(url, "_blank", "noopener");
		return;
	}
	const copy = document.createElement("a");
	copy.href = url;
	copy.download = link.download || (NAMED.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "weft");
	copy.click();
	URL.revokeObjectURL(url);
}

const NAMED = /filename="([^"]+)"/;
