/** How an agent starts weft's MCP server. */
import { ownPath } from "../../base/file/package-file.ts";
import type { WeftCommand } from "./contract.ts";

/** Finds a Node, and spares it where a resident runs. */
export const START_SCRIPT = ownPath("plugin", "weft-start.sh");

/** The script is of this weft: after a reinstallation at another place the command alone starts the server. */
const START = '[ -r "$0" ] && exec sh "$0" "$@"; exec "$@"';

/** Windows has no shell for the script. */
export function serverCommand(weft: WeftCommand): WeftCommand {
	const command: WeftCommand = [...weft, "mcp"];
	return process.platform === "win32" ? command : ["sh", "-c", START, START_SCRIPT, ...command];
}
