/** The remote of a repository in one spelling, however it was cloned. Undefined without git or a remote. */
import { git } from "./run.ts";

/** `origin`, or else the first remote by name, as `github.com/owner/name`. */
export async function readRemote(folder: string): Promise<string | undefined> {
	let text = "";
	await git(folder, ["config", "--local", "--get-regexp", "^remote\\..*\\.url$"], {}, (chunk) => {
		text += chunk;
	});
	const urls = new Map(
		text.split("\n").flatMap((line) => {
			const [, name, url] = /^remote\.(.+)\.url (.+)$/.exec(line) ?? [];
			return name === undefined || url === undefined ? [] : [[name, url] as const];
		}),
	);
	const name = urls.has("origin") ? "origin" : [...urls.keys()].sort()[0];
	if (name === undefined) return undefined;
	// As git resolves it, with the user's own short forms (`url.*.insteadOf`) expanded.
	let url = "";
	await git(folder, ["remote", "get-url", name], {}, (chunk) => {
		url += chunk;
	});
	return normaliseRemote(url.trim() || (urls.get(name) ?? ""));
}

/** Other doors to the same house. */
const DOORS = new Map([
	["ssh.github.com", "github.com"],
	["altssh.gitlab.com", "gitlab.com"],
	["altssh.bitbucket.org", "bitbucket.org"],
]);

/** Undefined for a local path, which means nothing on another machine. */
export function normaliseRemote(url: string): string | undefined {
	const [, host, path] =
		/^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]/]+\]|[^/:@]+)(?::\d+)?\/+(.+)$/i.exec(url) ??
		/^(?:[^/\s]+@)?(\[[^\]/]+\]|[^/:@\s]{2,}):(?!\/\/)\/?(.+)$/.exec(url) ??
		[];
	if (host === undefined || path === undefined || /^file:/i.test(url)) return undefined;
	const name = path
		.replace(/[?#].*$/, "")
		.replace(/\/+$/, "")
		.replace(/\.git$/i, "")
		.replace(/\/{2,}/g, "/");
	if (name === "") return undefined;
	const named = host.toLowerCase().replace(/^www\./, "");
	const owner = DOORS.get(named) ?? named;
	// These servers ignore case.
	return `${owner}/${/^(?:github|gitlab|bitbucket)\./.test(owner) ? name.toLowerCase() : name}`;
}
