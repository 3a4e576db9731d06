/**
 * Active skills: those that the user's newest message calls by `/skill:name`, and those whose SKILL.md was read since. The
 * user's next message ends them.
 */
import { dirname, relative, resolve } from "node:path";
import type { MemoryScope, Skill } from "./skill.ts";

const CALLED = /^\s*\/skill:([\w.-]+)|^<skill name="([^"\n]{1,100})"/;

export class ActiveSkills {
	readonly #skills: readonly Skill[];
	#active: readonly Skill[] = [];

	constructor(skills: readonly Skill[]) {
		this.#skills = skills;
	}

	get list(): readonly Skill[] {
		return this.#active;
	}

	/** The user has sent a message. */
	said(text: string): void {
		const [, typed, expanded] = CALLED.exec(text) ?? [];
		const name = typed ?? expanded;
		this.#active = this.#skills.filter((skill) => skill.name === name);
	}

	/** The agent has read a file. */
	read(path: string, cwd: string): void {
		const file = resolve(cwd, path);
		const skill = this.#skills.find((each) => each.file === file);
		if (skill && !this.#active.includes(skill)) this.#active = [...this.#active, skill];
	}

	/** Why a call is refused. Undefined: it is allowed. */
	refuse(call: SkillToolCall, cwd: string): string | undefined {
		const limiting = this.#active.filter(({ allowedTools }) => allowedTools !== undefined);
		if (limiting.length === 0 || OURS.test(call.tool) || readsOwn(call, cwd, this.#active)) return undefined;
		const allowed = limiting.flatMap(({ allowedTools }) => allowedTools ?? []);
		if (allowed.some((rule) => allows(rule, call))) return undefined;
		const names = limiting.map(({ name }) => name).join(", ");
		const what = allowed.some((rule) => allows(rule.replace(/\(.*$/s, ""), call)) ? "this command" : call.tool;
		return `The skill ${names} allows only ${allowed.join(", ")}; ${what} is not among them. It holds until the user's next message. Go on with what is allowed, or tell the user what is missing.`;
	}

	/** The narrowest scope that an active skill asks for. */
	get memoryScope(): MemoryScope | undefined {
		const asked = this.#active.flatMap(({ memoryScope }) => memoryScope ?? []);
		return (["none", "session", "relevant", "channel"] as const).find((scope) => asked.includes(scope));
	}
}

export interface SkillToolCall {
	readonly tool: string;
	/** For a shell tool. */
	readonly command?: string | undefined;
	/** For a tool that reads a file. */
	readonly path?: string | undefined;
}

/** Skills never forbid weft's own tools. */
const OURS = /^(?:lcm_\w+|decide)$/;
/** `bash`, `Bash(git log:*)`, `mcp__server__*`. */
const RULE = /^([^(]+)(?:\(([\s\S]*)\))?$/;

function allows(rule: string, { tool, command }: SkillToolCall): boolean {
	const [, name = "", pattern] = RULE.exec(rule.trim()) ?? [];
	if (!matches(name.trim().toLowerCase(), tool.toLowerCase())) return false;
	if (pattern === undefined || pattern === "*") return true;
	if (command === undefined) return false;
	// An allowed command does not allow a second one after it, nor a redirect to a file.
	if (/[;&|`\n<>]|\$\(/.test(withoutHarmless(command))) return false;
	const line = command.trim();
	if (!pattern.endsWith(":*")) return matches(pattern, line);
	const first = pattern.slice(0, -":*".length);
	return matches(first, line) || matches(`${first} *`, line);
}

/** Removes what only looks like an operator: quoted text, and redirects to /dev/null. */
function withoutHarmless(command: string): string {
	const heard = command.replace(/\s(?:\d|&)?>>?\s*\/dev\/null(?=\s|$)|\s2>&1(?=\s|$)/g, " ");
	// With double quotes or escapes we cannot tell where a quoted text ends.
	return /["\\]/.test(heard) ? heard : heard.replace(/'[^'\n]*'/g, "''");
}

/** `*` matches anything; no other character is special. */
function matches(pattern: string, text: string): boolean {
	const [first = "", ...parts] = pattern.split("*");
	const last = parts.pop();
	if (last === undefined) return pattern === text;
	if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
	let at = first.length;
	for (const part of parts) {
		const found = text.indexOf(part, at);
		if (found === -1 || found + part.length > text.length - last.length) return false;
		at = found + part.length;
	}
	return true;
}

/** A skill's own files are always readable: the agent needs them to follow it. */
function readsOwn({ tool, path }: SkillToolCall, cwd: string, active: readonly Skill[]): boolean {
	if (tool !== "read" || path === undefined) return false;
	return active.some(({ file }) => !relative(dirname(file), resolve(cwd, path)).startsWith(".."));
}
