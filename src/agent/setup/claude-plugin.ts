/**
 * The plugin for Claude Code as it is written for one machine: the files that the package ships, with the command that
 * starts this weft. The package's own say `weft`, for those who have it on their PATH.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownPath } from "../../base/file/package-file.ts";
import type { WeftCommand } from "./setup.ts";

const SHIPPED = ownPath("plugin", "claude-code");

export interface PluginFile {
	/** Below the folder of the marketplace, with forward slashes. */
	readonly path: string;
	readonly text: string;
}

/** Of the plugin inside the marketplace. */
export const PLUGIN_FOLDER = "weft";

export function claudePluginFiles(weft: WeftCommand): PluginFile[] {
	const paths = globSync(["**/*", "**/.*", "**/.*/*"], { cwd: SHIPPED, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(SHIPPED.length + 1))
		.sort();
	return [...new Set(paths)].map((path) => ({
		path,
		text: withCommand(path, readFileSync(join(SHIPPED, path), "utf8"), weft),
	}));
}

function withCommand(path: string, text: string, weft: WeftCommand): string {
	const [command, ...args] = weft;
	if (path.endsWith(".mcp.json")) {
		const server = { command, args: [...args, "mcp"], alwaysLoad: true };
		return `${JSON.stringify({ mcpServers: { log: server } }, null, "\t")}\n`;
	}
	if (!path.endsWith(".md")) return text;
	const line = weft.map(quoted).join(" ");
	return text.replaceAll("!`weft ", `!\`${line} `).replaceAll("Bash(weft:*)", `Bash(${line}:*)`);
}

/** For a shell. */
export function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
