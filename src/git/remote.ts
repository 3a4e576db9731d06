/** Where a repository comes from, in one spelling whichever way it was cloned. No git, or no remote: undefined. */
import { git } from "./run.ts";

/** `origin`, or else the first remote by name, as `github.com/owner/name`. */
export async function readRemote(folder: string): Promise<string | undefined> {
	const urls = await readConfig(folder, ["--local", "--get-regexp", "^remote\\..*\\.url$"], /^remote\.(.+)\.url (.+)$/);
	const first = urls.find(([name]) => name === "origin") ?? urls.sort(([a], [b]) => (a < b ? -1 : 1))[0];
	if (!first) return undefined;
	const short = await readConfig(folder, ["--get-regexp", "^url\\..*\\.insteadof$"], /^url\.(.+)\.insteadof (.+)$/);
	return normaliseRemote(spellOut(first[1], short));
}

type Pair = readonly [name: string, value: string];

async function readConfig(folder: string, args: readonly string[], line: RegExp): Promise<Pair[]> {
	let text = "";
	await git(folder, ["config", ...args], {}, (chunk) => {
		text += chunk;
	});
	return text.split("\n").flatMap((each) => {
		const [, name, value] = line.exec(each) ?? [];
		return name === undefined || value === undefined ? [] : [[name, value] as const];
	});
}

/** As git does with `url.BASE.insteadOf`: the longest beginning wins. */
function spellOut(url: string, short: readonly Pair[]): string {
	const fitting = short.filter(([, start]) => url.startsWith(start)).sort(([, a], [, b]) => b.length - a.length)[0];
	return fitting ? fitting[0] + url.slice(fitting[1].length) : url;
}

/** Undefined for a path of this machine: it says nothing elsewhere. */
export function normaliseRemote(url: string): string | undefined {
	const [, host, path] =
		/^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[0-9a-f:.]+\]|[^/:]+)(?::\d+)?\/+(.+)$/i.exec(url) ??
		/^(?:[^/\s]*@)?(\[[0-9a-f:.]+\]|[^/:@\s]{2,}):(?!\/\/)\/?(.+)$/i.exec(url) ??
		[];
	if (host === undefined || path === undefined || /^file:/i.test(url)) return undefined;
	const name = path
		.replace(/[?#].*$/, "")
		.replace(/\/+$/, "")
		.replace(/\.git$/i, "")
		.replace(/\/{2,}/g, "/");
	if (name === "") return undefined;
	// Second doors of the same host: for browsers, and for networks that let nothing but port 443 through.
	const owner = host.toLowerCase().replace(/^(?:www|ssh|altssh)\.(?=(?:github|gitlab|bitbucket)\.)/, "");
	// These hosts do not tell capital and small letters apart.
	return `${owner}/${/^(?:github|gitlab|bitbucket)\./.test(owner) ? name.toLowerCase() : name}`;
}
