/** The session that an id names: of this project, or else of any other. */
import { existsSync } from "node:fs";
import { EngineError } from "../../base/error/engine-error.ts";
import type { Engine } from "../../engine.ts";
import { chooseSession, listSessions, sessionsNamed } from "../../state/session/find-session.ts";
import type { SessionState } from "../../state/session/session-state.ts";
import type { Context } from "./context.ts";

/** Runs `work` on the session with this id, or the beginning of it; without one, on the last active session of this project. */
export async function withNamedSession<Result>(
	context: Context,
	given: string | undefined,
	work: (engine: Engine, session: SessionState) => Result | Promise<Result>,
): Promise<Result> {
	const { engine, session } = await openNamedSession(context, given);
	try {
		return await work(engine, session);
	} finally {
		engine.close();
	}
}

/** The caller closes the engine. */
export async function openNamedSession(
	context: Context,
	given: string | undefined,
): Promise<{ readonly engine: Engine; readonly session: SessionState }> {
	const engine = await openLogOf(context, given);
	try {
		return { engine, session: chooseSession(engine.log, given) };
	} catch (error) {
		engine.close();
		throw error;
	}
}

/** The log with the session of this id: this project's, or else any other's. The caller closes the engine. */
async function openLogOf(context: Context, given: string | undefined): Promise<Engine> {
	const isHere = given === undefined || context.projectGiven || (await isInProject(context, given));
	return isHere ? context.openExisting() : context.openProject(projectWith(context, given));
}

/** As `openLogOf`, and closes it. */
export async function withLogOf<Result>(
	context: Context,
	given: string | undefined,
	work: (engine: Engine) => Result | Promise<Result>,
): Promise<Result> {
	const engine = await openLogOf(context, given);
	try {
		return await work(engine);
	} finally {
		engine.close();
	}
}

async function isInProject(context: Context, given: string): Promise<boolean> {
	return existsSync(context.places().logPath) && context.withLog((engine) => hasSession(engine, given));
}

function projectWith(context: Context, given: string): string {
	const roots: string[] = [];
	for (const engine of context.openAll()) if (hasSession(engine, given)) roots.push(engine.project.root);
	const [root, ...others] = roots;
	if (root === undefined) {
		const all = "'weft sessions --all' lists them.";
		throw new EngineError("not-found", `There is no session '${given}' in any project. ${all}`);
	}
	if (others.length === 0) return root;
	const several = `Sessions of several projects begin with '${given}': ${roots.join(", ")}.`;
	throw new EngineError("usage", `${several} --project names one.`);
}

function hasSession({ log }: Engine, given: string): boolean {
	return sessionsNamed(listSessions(log), given).length > 0;
}
