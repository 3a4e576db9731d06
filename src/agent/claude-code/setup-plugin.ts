/** The files of Claude Code's plugin, for one machine. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { ownPath, readOwnText } from "../../base/file/package-file.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import type { WeftCommand } from "../setup/contract.ts";
import { START_SCRIPT } from "../setup/server-command.ts";

/** The shipped files. They run the `weft` on the PATH. */
const SHIPPED_PARTS = ["plugin", "claude-code"] as const;
const SHIPPED = ownPath(...SHIPPED_PARTS);

/** The plugin's folder inside the marketplace. */
export const PLUGIN_FOLDER = "weft";

interface PluginFile {
	/** Relative to the marketplace folder, with forward slashes. */
	readonly path: string;
	readonly text: string;
}

/** The shipped files with the command that starts this weft. */
export function claudePluginFiles(weft: WeftCommand): PluginFile[] {
	const paths = globSync(["**/*", "**/.*", "**/.*/*"], { cwd: SHIPPED, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(SHIPPED.length + 1))
		.sort();
	return [...new Set(paths)].map((path) => ({
		path,
		text: withCommand(path, readOwnText(...SHIPPED_PARTS, path), weft),
	}));
}

function withCommand(path: string, text: string, weft: WeftCommand): string {
	if (path.endsWith(".mcp.json")) return `${JSON.stringify({ mcpServers: { log: serverOf(weft) } }, null, "\t")}\n`;
	if (!path.endsWith(".md")) return text;
	const line = weft.map(quoteWord).join(" ");
	return text.replaceAll("!`weft ", `!\`${line} `).replaceAll("Bash(weft:*)", `Bash(${line}:*)`);
}

/** Through a script that answers in weft's place if weft was removed. Windows has no shell for it. */
function serverOf(weft: WeftCommand): object {
	if (process.platform === "win32") {
		const [command, ...args] = weft;
		return { command, args: [...args, "mcp"], alwaysLoad: true };
	}
	const args = [`\${CLAUDE_PLUGIN_ROOT}/server.sh`, ...weft, "mcp"];
	return { command: "sh", args, env: { WEFT_START: START_SCRIPT }, alwaysLoad: true };
}
