/**
 * What never leaves. A step of the agent is a message and the events derived from it: they ship together or not at all, because
 * a message holds the file that its FileRead names. A path counts wherever it is named, in a seed or a summary too.
 */
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { Settings } from "../settings/keys.ts";
import { OPERATOR } from "../state/session/owner.ts";
import { Scopes } from "../state/session/scope.ts";
import { serverSession } from "./server-text.ts";

export type Excludes = (step: readonly StoredRecord[]) => boolean;

/** `forgotten`: sessions as the server names them. `isPrivate`: the conversation of a person who is not of the fleet. Throws for a rule that it does not understand: a typo must not let events leave. */
export function readExcludes(
	rules: Settings["fleet.exclude"],
	forgotten: ReadonlySet<string>,
	isPrivate: (session: SessionRef) => boolean = () => false,
): Excludes {
	const values = { path: [] as string[], session: [] as string[], tool: [] as string[] };
	for (const rule of rules) {
		const [, kind, value] = /^(path|session|tool):(.+)$/s.exec(rule.trim()) ?? [];
		if ((kind !== "path" && kind !== "session" && kind !== "tool") || value === undefined) {
			throw new EngineError(
				"bad-config",
				`fleet.exclude: '${rule}' is not path:TEXT, session:ID or tool:NAME. Nothing was sent.`,
			);
		}
		values[kind].push(value);
	}
	const { path: paths, session: sessions, tool: tools } = values;
	// As they appear in JSON text.
	const texts = [
		...paths.map((path) => JSON.stringify(path).slice(1, -1)),
		...tools.flatMap((tool) => [`"tool":${JSON.stringify(tool)}`, `"toolName":${JSON.stringify(tool)}`]),
	];
	// A whole output that does not say what it is of, such as a pasted text.
	const isUnknownOutput = (type: string, text: string) =>
		paths.length > 0 && type === "Custom" && /"blob":"[0-9a-f]{64}"/.test(text) && !text.includes('"of":"');
	return (step) =>
		step.some(
			({ session, host, type, text }) =>
				isPrivate({ session, host }) ||
				forgotten.has(serverSession(session)) ||
				isUnknownOutput(type, text) ||
				sessions.some((start) => session.startsWith(start)) ||
				texts.some((part) => text.includes(part)),
		);
}

/** The people with whom an agent talks have not joined the fleet: only the operator's own conversations leave. */
export function privateSessions(log: Log): (session: SessionRef) => boolean {
	const scopes = new Scopes(log);
	return (session) => (scopes.find(session)?.owner ?? OPERATOR) !== OPERATOR;
}

/** True: `fleet.projects` is empty or names this project. */
export function isProjectWanted(project: string, wanted: Settings["fleet.projects"]): boolean {
	return (
		wanted.length === 0 ||
		wanted.some((name) => (name.endsWith("*") ? project.startsWith(name.slice(0, -1)) : project === name))
	);
}
