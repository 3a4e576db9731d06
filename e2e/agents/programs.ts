/**
 * The agents' programs, by the lock of this folder. They are large, so they lie in a cache outside the checkout: $WEFT_AGENTS, or
 * weft-agents in the user's cache, in a folder named after the lock. `npm run fetch:agents` puts them there, once.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	copyFileSync,
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const CACHE = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");

/** The folder with the programs' node_modules. */
export function programsFolder(): string {
	const lock = createHash("sha256")
		.update(readFileSync(join(HERE, "package-lock.json")))
		.digest("hex");
	return join(process.env["WEFT_AGENTS"] || join(CACHE, "weft-agents"), lock.slice(0, 16));
}

export type AgentName = "claude" | "codex" | "opencode";

/** An absolute path. */
export function programPath(name: AgentName): string {
	const path = join(programsFolder(), "node_modules/.bin", name);
	if (!existsSync(path)) throw new Error(`${path} is not there. 'npm run fetch:agents' fetches the agents.`);
	return path;
}

/** The program itself, which runs alone, wherever it lies: Codex is started by a script that looks for it. */
export function nativeProgram(name: AgentName): string {
	if (name !== "codex") return realpathSync(programPath(name));
	const found = globSync("node_modules/@openai/codex-*/vendor/*/bin/codex", { cwd: programsFolder() })[0];
	if (found === undefined) throw new Error("Codex's own program is not there.");
	return join(programsFolder(), found);
}

export function fetchPrograms(): void {
	const target = programsFolder();
	if (existsSync(target)) return;
	mkdirSync(dirname(target), { recursive: true });
	const folder = mkdtempSync(join(dirname(target), "fetch-"));
	try {
		for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(HERE, name), join(folder, name));
		// Not `ci`: registries that do not carry the packages of other platforms leave them out of the lock.
		execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
		if (!existsSync(target)) renameSync(folder, target);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
