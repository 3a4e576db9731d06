/**
 * Whether Codex runs our hooks. It records the user's trust in config.toml, by the position of each hook in hooks.json and by
 * the hash of the hook:
 *
 *     [hooks.state."/home/me/.codex/hooks.json:pre_tool_use:0:0"]
 *     trusted_hash = "sha256:…"
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/hash/sha256.ts";
import type { JsonObject } from "../../base/json/read.ts";

export interface PlacedHook {
	/** `PreToolUse` */
	readonly event: string;
	/** The index of its group in that event's list; each of our groups holds one hook. */
	readonly group: number;
	readonly matcher: string | undefined;
	readonly command: string;
	readonly seconds: number;
}

export type Trust = "trusted" | "changed" | "unknown" | "off";

export function trustOf(hook: PlacedHook, folder: string, config: string): Trust {
	const keys = [folder, realFolder(folder)].map(
		(each) => `${join(each, "hooks.json")}:${eventKey(hook.event)}:${hook.group}:0`,
	);
	const at = keys.map((key) => config.indexOf(`${key}"`)).find((each) => each >= 0);
	if (at === undefined) return "unknown";
	const [state = ""] = config.slice(at).split(/\n\s*\[/);
	const hash = /trusted_hash\s*=\s*["'](?:sha256:)?([0-9a-f]{64})/.exec(state)?.[1];
	if (hash === undefined) return "unknown";
	if (hash !== hashOf(hook)) return "changed";
	return /\benabled\s*=\s*false/.test(state) ? "off" : "trusted";
}

/** What Codex records when a person trusts these hooks, for hooks that come with the arguments of one session. */
export function trustInSession(hooks: readonly PlacedHook[]): JsonObject {
	const states = hooks.map((hook) => [
		`/<session-flags>/config.toml:${eventKey(hook.event)}:${hook.group}:0`,
		{ trusted_hash: `sha256:${hashOf(hook)}` },
	]);
	return Object.fromEntries(states) as JsonObject;
}

/** Codex hashes the JSON with sorted keys. */
function hashOf({ event, matcher, command, seconds }: PlacedHook): string {
	const hooks: JsonObject[] = [{ async: false, command, timeout: seconds, type: "command" }];
	return sha256(JSON.stringify({ event_name: eventKey(event), hooks, matcher }));
}

function eventKey(event: string): string {
	return event.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function realFolder(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		return folder;
	}
}
