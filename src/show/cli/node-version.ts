const NEEDED = [22, 19] as const;

/** Why this Node is too old; undefined: it is new enough. */
export function nodeProblem(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
	return `weft needs Node ${NEEDED.join(".")} or newer; this is ${version}. Install a newer one from https://nodejs.org.`;
}
