/**
 * Which MCP servers a text of config.toml names. Codex itself is asked, in a folder of its own: TOML has many spellings for one
 * table, and what Codex refuses must never be written.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asName, asObject } from "../../base/json/read.ts";
import type { Found } from "./setup.ts";

/** `named`: by its name, how each is started; "" for one at an address. */
export type Servers =
	| { readonly kind: "named"; readonly commands: ReadonlyMap<string, string> }
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
		return commandsIn(said);
	} catch (error) {
		const told = asObject(error)?.["stderr"];
		const place = /config\.toml:(\d+):\d+: (.+)/.exec(typeof told === "string" ? told : "");
		return place ? { kind: "refused", says: `line ${place[1]}: ${place[2]}` } : { kind: "unknown" };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function commandsIn(said: string): Servers {
	try {
		const list: unknown = JSON.parse(said);
		if (!Array.isArray(list)) return { kind: "unknown" };
		const commands = list.flatMap((each): [string, string][] => {
			const { name, transport } = asObject(each) ?? {};
			const { command, args } = asObject(transport) ?? {};
			return typeof name === "string" ? [[name, [asName(command) ?? "", ...asList(args)].join(" ").trim()]] : [];
		});
		return { kind: "named", commands: new Map(commands) };
	} catch {
		return { kind: "unknown" };
	}
}
