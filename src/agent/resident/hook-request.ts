/**
 * A hook's process, as a client passes it to the resident: its arguments from the program on, its environment and its standard
 * input. NUL ends each argument and each variable, and an empty one ends each list; the rest is the input. Clients in other
 * languages write the same.
 */
export interface HookRequest {
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	readonly input: Buffer;
}

export function writeHookRequest({ args, env, input }: HookRequest): Buffer {
	const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
	return Buffer.concat([Buffer.from([...args, "", ...variables, "", ""].join("\0")), input]);
}

/** Undefined: it is no such request. */
export function readHookRequest(bytes: Buffer): HookRequest | undefined {
	const args = readList(bytes, 0);
	const variables = args && readList(bytes, args.end);
	if (!variables) return undefined;
	const env = Object.fromEntries(
		variables.words.flatMap((each) => {
			const at = each.indexOf("=");
			return at < 0 ? [] : [[each.slice(0, at), each.slice(at + 1)]];
		}),
	);
	return { args: args.words, env, input: bytes.subarray(variables.end) };
}

function readList(bytes: Buffer, from: number): { readonly words: string[]; readonly end: number } | undefined {
	const words: string[] = [];
	for (let at = from; ; ) {
		const end = bytes.indexOf(0, at);
		if (end < 0) return undefined;
		if (end === at) return { words, end: end + 1 };
		words.push(bytes.toString("utf8", at, end));
		at = end + 1;
	}
}

/** How the resident answers: these are statuses of HTTP. */
export const ANSWER_STATUS = {
	answered: 200,
	/** The hook belongs to another project or data folder: its process must answer it. */
	elsewhere: 421,
	/** The resident's program has changed: it ends, and another takes its place. */
	outdated: 410,
	unreadable: 400,
	tooLarge: 413,
} as const;

export type AnswerKind = keyof typeof ANSWER_STATUS;
