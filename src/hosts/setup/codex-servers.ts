/**
 * Which MCP servers a text of config.toml names. Codex itself is asked, in a folder of its own: TOML has many spellings for one
 * table, and what Codex refuses must never be written.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asName, asObject } from "../../json/read.ts";
import type { Found } from "./setup.ts";

export type Servers =
	| { readonly kind: "named"; readonly names: readonly string[] }
	/** Codex does not start with it. */
	| { readonly kind: "refused"; readonly says: string }
	/** This program does not tell. */
	| { readonly kind: "unknown" };

const ANSWER_MS = 20_000;

export function serversIn(text: string, { program }: Found, env: NodeJS.ProcessEnv): Servers {
	const folder = mkdtempSync(join(tmpdir(), "weft-codex-"));
	try {
		writeFileSync(join(folder, "config.toml"), text);
		const asked = { ...env, CODEX_HOME: folder, RUST_BACKTRACE: "0" };
		const said = execFileSync(program, ["mcp", "list", "--json"], {
			cwd: folder,
			env: asked,
			encoding: "utf8",
			timeout: ANSWER_MS,
			stdio: ["ignore", "pipe", "pipe"],
		});
		return namesIn(said);
	} catch (error) {
		const told = asObject(error)?.["stderr"];
		const place = /config\.toml:(\d+):\d+: (.+)/.exec(typeof told === "string" ? told : "");
		return place ? { kind: "refused", says: `line ${place[1]}: ${place[2]}` } : { kind: "unknown" };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function namesIn(said: string): Servers {
	try {
		const list: unknown = JSON.parse(said);
		if (!Array.isArray(list)) return { kind: "unknown" };
		return { kind: "named", names: list.flatMap((each) => asName(asObject(each)?.["name"]) ?? []) };
	} catch {
		return { kind: "unknown" };
	}
}
