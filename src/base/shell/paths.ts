/** Words that may be paths, in a command line and in its output. The caller checks whether the files exist. */

const MAX_PATHS = 64;
const MAX_PATH_CHARS = 300;
const MAX_SCANNED_CHARS = 200_000;

/** Every word of the line that may name a file, globs included, also in loops, scripts and here-documents. */
export function pathsInCommand(command: string): string[] {
	const found = new Set<string>();
	for (const word of command.slice(0, MAX_SCANNED_CHARS).split(/[\s'"`;|&()<>=,{}]+/)) {
		if (found.size >= MAX_PATHS) break;
		for (const part of [word, word.slice(word.indexOf(":") + 1)]) if (mayBePath(part)) found.add(part);
	}
	return [...found];
}

const IN_OUTPUT = [
	/^==> (.+) <==$/,
	/^\+\+\+ (?:b\/)?(\S+)/,
	/^([^\s:][^:]*?):\d+(?::|-)/,
	/^([^\s:]\S*?)-\d+-/,
	/^(?:\S+ ){0,3}((?:\.{0,2}\/)?[\w@.+/-]+\.\w{1,8}):?$/,
];

/** Paths that an output names before the lines it shows, as `grep -rn`, `rg`, `head` and `git diff` do. */
export function pathsInOutput(output: string): string[] {
	const found = new Set<string>();
	for (const line of output.slice(0, MAX_SCANNED_CHARS).split("\n")) {
		if (found.size >= MAX_PATHS) break;
		if (line.length > 2 * MAX_PATH_CHARS) continue;
		for (const pattern of IN_OUTPUT) {
			const path = pattern.exec(line)?.[1];
			if (path === undefined || !mayBePath(path)) continue;
			found.add(path);
			break;
		}
	}
	return [...found];
}

function mayBePath(word: string): boolean {
	return word.length > 0 && word.length <= MAX_PATH_CHARS && !/^[-$]|^\d+$|\$/.test(word) && /[\w]/.test(word);
}

/**
 * True when `path` matches a pattern of `*`, `?` and `[…]`; `*` stays within a folder, `**` does not. A name in brackets also
 * means itself, as in `app/[id]/page.tsx`.
 */
export function matchesGlob(pattern: string, path: string): boolean {
	if (!/[*?[]/.test(pattern)) return pattern === path;
	// The ends of the path that the tokens so far reach: linear in both, however many stars the pattern has.
	let reached = new Set([0]);
	for (const token of pattern.match(/\*\*\/?|\[!?\]?[^\]]*\]|./gsu) ?? []) {
		const next = new Set<number>();
		for (const at of reached) for (const end of endsOf(token, path, at)) next.add(end);
		reached = next;
	}
	return reached.has(path.length);
}

function* endsOf(token: string, path: string, at: number): Generator<number> {
	const char = path[at];
	if (token.startsWith("*")) {
		yield at;
		for (let end = at; end < path.length && (token !== "*" || path[end] !== "/"); end++) {
			if (token !== "**/" || path[end] === "/") yield end + 1;
		}
	} else if (token === "?") {
		if (char !== undefined && char !== "/") yield at + 1;
	} else if (token.length > 2 && token.startsWith("[")) {
		if (path.startsWith(token, at)) yield at + token.length;
		if (char !== undefined && isInClass(token.slice(1, -1), char)) yield at + 1;
	} else if (char === token) yield at + 1;
}

function isInClass(members: string, char: string): boolean {
	const isNegated = members.startsWith("!");
	let isIn = false;
	for (const [, from = "", to = from] of members.slice(isNegated ? 1 : 0).matchAll(/(.)(?:-(.))?/gs)) {
		if (char >= from && char <= to) isIn = true;
	}
	return isIn !== isNegated;
}
