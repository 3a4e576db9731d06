/**
 * A project's log for a process that an agent started, opened on first use. If that fails, the agent carries on without weft:
 * weft warns the user once and tries again a minute later.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { once } from "../../base/text/memo.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { projectRoot } from "../../log/home.ts";
import { ownVariables } from "../../settings/project-variables.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import type { AgentPort } from "../port.ts";
import { Door } from "./door.ts";
import { keyedModels } from "./keyed-models.ts";
import { LiveProject, type LiveProjectOptions } from "./project.ts";
import { settingNotices } from "./setting-notices.ts";

export interface AgentEngineOptions {
	readonly port: AgentPort;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** The data folder; by default the one in the settings. */
	readonly home?: string | undefined;
	readonly warn: (message: string) => void;
	readonly now?: (() => number) | undefined;
	/** The process ends with the hook. */
	readonly isForOneHook?: boolean | undefined;
}

/** `engine` and `project` give undefined where weft is off, or its log cannot be opened. */
export interface AgentEngine {
	readonly engine: () => Engine | undefined;
	readonly project: () => LiveProject | undefined;
	/** Catches failures: records each where it can, and warns of the first. */
	readonly door: Door;
	readonly close: () => void;
}

const RETRY_MS = 60_000;

export function openAgentEngine(given: AgentEngineOptions): AgentEngine {
	const env = ownVariables(given.env, [projectRoot(given.cwd), given.cwd]);
	const options = { ...given, env };
	const { port, now = Date.now } = options;
	let open: LiveProject | undefined;
	let failedAt: number | undefined;
	const warn = once((message) => options.warn(`weft: ${message}`));
	const door = new Door({
		record: (fault) => {
			if (open && !open.engine.log.readOnly) open.engine.record([{ type: "Fault", payload: { ...fault } }]);
		},
		tell: warn,
		consequence: `${port.title} carries on without it`,
	});
	const project = (): LiveProject | undefined => {
		if (open?.engine.log.isOpen) {
			// Most of these agents do not report the end of a turn, so each use ships what is new.
			open.ship();
			return open;
		}
		if (failedAt !== undefined && now() - failedAt < RETRY_MS) return undefined;
		try {
			const opened = openOrReadOnly(options, warn, (error) => door.fail("open", error));
			const onFault = (where: string, error: unknown) => door.fail(where, error);
			open = opened && openProject({ port, env, now: options.now, onFault, ...opened });
			const notice = open?.memoryModels.notice(env);
			if (notice !== undefined) warn(notice);
			failedAt = undefined;
		} catch (error) {
			open = undefined;
			failedAt = now();
			door.fail("open", error);
		}
		return open;
	};
	return {
		engine: () => project()?.engine,
		project,
		door,
		close: () => {
			try {
				open?.end();
				open?.engine.close();
			} catch (error) {
				warn(errorText(error));
			}
		},
	};
}

interface OpenedEngine {
	readonly engine: Engine;
	/** The user set `compactionModels`. */
	readonly hasChosenModels: boolean;
	readonly trusted: boolean;
}

function openProject({
	hasChosenModels: isChosen,
	trusted,
	...options
}: OpenedEngine & Omit<LiveProjectOptions, "lentModels">): LiveProject {
	const { engine, env = {} } = options;
	const untrusted = trusted ? undefined : engine.project.root;
	const named = () => keyedModels(engine.settings.compactionModels, env, untrusted);
	const lentModels = () => ({ named: named(), isChosen, own: undefined });
	return new LiveProject({ ...options, lentModels });
}

/** Undefined where the settings turn weft off. */
function openOrReadOnly(
	{ port, cwd, env, home, isForOneHook }: AgentEngineOptions,
	warn: (message: string) => void,
	onReadOnly: (error: EngineError) => void,
): OpenedEngine | undefined {
	const flags = home === undefined ? undefined : { dbDir: home };
	const places = { env, cwd, projectRoot: projectRoot(cwd), flags };
	const resolved = readTrustedSettings(places, false);
	if (!resolved.settings.enabled) return undefined;
	for (const notice of settingNotices(port, places, resolved)) warn(notice);
	const { trusted } = resolved;
	const powers = {
		canChangeInput: port.canChangeInput,
		unifiesLineEnds: port.unifiesLineEnds,
		forgetsCalls: isForOneHook,
	};
	const options = { cwd, env, home, host: port.name, trusted, warn, powers };
	const hasChosenModels = resolved.origins.compactionModels !== "default";
	try {
		return { engine: openEngine(options), hasChosenModels, trusted };
	} catch (error) {
		// The log may still be readable where it cannot be written.
		if (!(error instanceof EngineError)) throw error;
		let engine: Engine;
		try {
			engine = openEngine({ ...options, readOnly: true });
		} catch {
			throw error;
		}
		onReadOnly(error);
		return { engine, hasChosenModels, trusted };
	}
}
