/** Which files a call is about, by its arguments alone. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { asList, asName, asObject } from "../json/read.ts";
import { patchText, pathOf } from "../session/derive-change.ts";
import { readPatchEnvelope } from "../session/patch-envelope.ts";
import { sessionPath } from "../session/path.ts";
import type { ToolClass } from "../session/tool-class.ts";
import type { FilePort, GuardCall, Look } from "./types.ts";

export interface Target {
	/** As events name it. */
	readonly path: string;
	/** For the disk. */
	readonly absolute: string;
}

export function targetsOf(call: GuardCall, of: ToolClass): readonly Target[] {
	const named = of === "patch" ? readPatchEnvelope(patchText(call.input)).map((change) => change.path) : paths(call);
	if (named.length === 1) return [locate(named[0]!, call.cwd)];
	return [...new Set(named)].map((path) => locate(path, call.cwd));
}

/** Where a path of a call or an event leads. Text alone decides, so it may be remembered. */
export function locate(path: string, cwd: string): Target {
	const key = `${cwd}\0${path}`;
	const known = located.get(key);
	if (known) return known;
	const target = { path: sessionPath(path, cwd), absolute: absolutePath(path, cwd) };
	if (located.size >= MAX_LOCATED) located.clear();
	located.set(key, target);
	return target;
}

/** What is there. Some hosts take a path with the @ of a mention; it counts only where no such file is. */
export function lookAt(target: Target, files: FilePort, cwd: string): { readonly look: Look; readonly target: Target } {
	const look = files.stat(target.absolute);
	if (look.kind !== "absent" || !target.path.startsWith("@")) return { look, target };
	const bare = locate(target.path.slice(1), cwd);
	const found = files.stat(bare.absolute);
	return found.kind === "absent" ? { look, target } : { look: found, target: bare };
}

const MAX_LOCATED = 2_000;
const located = new Map<string, Target>();

function paths(call: GuardCall): string[] {
	const one = pathOf(call.input);
	const several = asList(call.input["edits"]).flatMap((edit) => asName(asObject(edit)?.["path"]) ?? []);
	return one === undefined ? several : [one, ...several];
}

function absolutePath(path: string, cwd: string): string {
	const spelt = path.trim().replace(/^file:\/\/(?=\/)/, "");
	return resolve(cwd, spelt === "~" || /^~[/\\]/.test(spelt) ? `${homedir()}${spelt.slice(1)}` : spelt);
}
