/**
 * Which MCP servers a config.toml defines. We ask Codex itself, in a temporary folder: TOML has many spellings for one table,
 * and we must never write a file that Codex refuses.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asName, asObject } from "../../base/json/read.ts";
import type { FoundAgent } from "../setup/contract.ts";

/** `commands`: the command line of each server by its name; "" for a remote one. */
export type Servers =
	| { readonly kind: "named"; readonly commands: ReadonlyMap<string, string> }
	/** Codex does not start with this file. */
	| { readonly kind: "refused"; readonly says: string }
	/** This version of Codex gave no answer. */
	| { readonly kind: "unknown" };

const ANSWER_MS = 20_000;

export function serversIn(text: string, { program }: FoundAgent, env: NodeJS.ProcessEnv): Servers {
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
