/**
 * Commands that agents start and wait for: they run before the command line is parsed, and load only what they need. Any other
 * spelling of them goes the usual way.
 */
import type { GlobalOptions } from "./options.ts";

/** False: the command must be run the usual way. */
export async function startQuickly(program: string, args: readonly string[]): Promise<boolean> {
	const given = readPlaces(args);
	if (given?.words.join(" ") === "hook codex") {
		const { passToResident } = await import("./pass-to-resident.ts");
		return passToResident(program, args);
	}
	const word = given?.words.join(" ");
	if (!given || (word !== "mcp" && word !== "hook opencode")) return false;
	// Without a listener a closed pipe ends the process with a stack trace.
	process.stdout.on("error", () => {});
	if (word === "mcp") {
		const { serveStandardStreams } = await import("./serve-mcp.ts");
		await serveStandardStreams(given.places);
	} else {
		const { serveQuestions } = await import("./serve-questions.ts");
		await serveQuestions(given.places);
	}
	return true;
}

/** As `weft init` writes them. Undefined: there is another option. */
function readPlaces(
	args: readonly string[],
): { readonly places: GlobalOptions; readonly words: readonly string[] } | undefined {
	const places: { home?: string; project?: string } = {};
	let at = 0;
	for (; at < args.length; at += 2) {
		const [name, value] = args.slice(at, at + 2);
		if ((name !== "--home" && name !== "--project") || !value || value.startsWith("-")) break;
		places[name === "--home" ? "home" : "project"] = value;
	}
	const words = args.slice(at);
	return words.some((word) => word.startsWith("-")) ? undefined : { places, words };
}
