/** The commands and patches of a call, however its agent writes them: as text, as words, or inside a script. */
import { posix } from "node:path";
import { literalCalls } from "../../base/javascript/literal-calls.ts";
import { asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { memoize } from "../../base/text/memo.ts";

export interface ShellCommand {
	readonly command: string;
	/** Where it runs, if the call says so. */
	readonly folder: string | undefined;
}

/** Empty: the call runs none, or does not write it out. */
export function commandsOf(input: JsonObject): readonly ShellCommand[] {
	const own = commandIn(input);
	if (own !== undefined) return [own];
	const script = scriptIn(input);
	return script === undefined ? [] : readScript(script).commands;
}

/** All commands of a call as one text. */
export function commandText(input: JsonObject): string | undefined {
	const commands = commandsOf(input);
	return commands.length === 0 ? undefined : commands.map(({ command }) => command).join("\n");
}

/** The patches that a call applies: its own, one in a shell command, and those in a script. */
export function patchesOf(input: JsonObject): readonly PatchCommand[] {
	const own = [input["input"], input["patch"], input["patchText"]].map(asText).find((text) => text !== undefined);
	if (own?.trimStart().startsWith(BEGIN_PATCH)) return [{ patch: own }];
	const script = scriptIn(input);
	const scripted = script === undefined ? [] : readScript(script).patches.map((patch) => ({ patch }));
	const inShell = commandsOf(input).flatMap(({ command, folder }) => {
		const found = patchIn(command);
		return found ? [{ patch: found.patch, folder: joinFolders(folder, found.folder) }] : [];
	});
	return [...scripted, ...inShell];
}

const BEGIN_PATCH = "*** Begin Patch";

function commandIn(input: JsonObject): ShellCommand | undefined {
	const given = input["command"] ?? input["cmd"];
	const command = typeof given === "string" ? given : Array.isArray(given) ? textOfWords(given.map(String)) : undefined;
	if (command === undefined) return undefined;
	const folder = asName(input["workdir"]) ?? asName(input["dir_path"]) ?? asName(input["directory"]);
	return { command, folder };
}

/** `["bash", "-lc", "ls | head"]` */
function textOfWords(words: readonly string[]): string {
	const script = words.findIndex((word) => /^-l?c$/.test(word));
	return script > 0 && words.length === script + 2 ? (words[script + 1] ?? "") : words.join(" ");
}

/** True: the call runs a script that calls other tools. */
export function isScript(input: JsonObject): boolean {
	return commandIn(input) === undefined && scriptIn(input) !== undefined;
}

/** Codex's `exec` runs JavaScript that calls the other tools. */
function scriptIn(input: JsonObject): string | undefined {
	const text = asText(input["input"]) ?? asText(input["code"]);
	return text?.includes("tools.") && !text.trimStart().startsWith(BEGIN_PATCH) ? text : undefined;
}

const KEPT_SCRIPTS = 16;

const readScript = memoize(KEPT_SCRIPTS, (script) => {
	const calls = literalCalls(script, "tools");
	return {
		commands: calls.flatMap(({ name, argument }) =>
			name === "apply_patch" ? [] : (commandIn(asObject(argument) ?? {}) ?? []),
		),
		patches: calls.flatMap(({ name, argument }) => {
			if (name !== "apply_patch") return [];
			const given = asObject(argument) ?? {};
			const patch = asText(argument) ?? asText(given["input"]) ?? asText(given["patch"]);
			return patch === undefined ? [] : [patch];
		}),
	};
});

/** A patch in a shell command: Codex handles `apply_patch <<'EOF' …` itself and starts no program of that name. */
export interface PatchCommand {
	/** `*** Begin Patch` to `*** End Patch` */
	readonly patch: string;
	/** The folder of a `cd` before it. */
	readonly folder?: string | undefined;
}

const HEREDOC =
	/^\s*(?:cd\s+(?:'([^'\n]+)'|"([^"\n$`]+)"|([^\s'"$`;&|]+))\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['"]?)(\w+)\4\s*\n([\s\S]*?)\n\s*\5\s*$/;
const ARGUMENT = /^\s*(?:apply_patch|applypatch)\s+(?:'([^']*)'|"([^"$`\\]*)")\s*$/;

/** Undefined: it is another command. */
export function patchIn(command: string): PatchCommand | undefined {
	if (!command.includes(BEGIN_PATCH)) return undefined;
	const here = HEREDOC.exec(command);
	const given = here
		? here[6]
		: ARGUMENT.exec(command)
				?.slice(1)
				.find((each) => each !== undefined);
	const patch = /\*\*\* Begin Patch\n[\s\S]*\*\*\* End Patch/.exec(given ?? "")?.[0];
	if (patch === undefined) return undefined;
	return { patch, folder: here?.[1] ?? here?.[2] ?? here?.[3] };
}

export function folderOf(cwd: string, { folder }: PatchCommand): string {
	return joinFolders(cwd, folder) ?? cwd;
}

function joinFolders(outer: string | undefined, inner: string | undefined): string | undefined {
	return outer === undefined || inner === undefined ? (inner ?? outer) : posix.resolve(outer, inner);
}

/** A path that a command in this folder names. */
export function pathIn(folder: string | undefined, path: string): string {
	return folder === undefined || /^(?:\/|~|[A-Za-z]:)/.test(path) ? path : `${folder}/${path}`;
}
