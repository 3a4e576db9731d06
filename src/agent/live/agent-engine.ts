/**
 * A project's log for a process that an agent started. It is opened when it is first needed. If that fails, the agent carries
 * on without weft: the user hears of it once, and weft tries again a minute later.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { once } from "../../base/text/memo.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { projectRoot } from "../../log/home.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import type { AgentPort } from "../port.ts";
import { Door } from "./door.ts";
import { LiveProject } from "./project.ts";

export interface AgentPlace {
	readonly port: AgentPort;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** The folder of all data; by default the one in the settings. */
	readonly home?: string | undefined;
	readonly warn: (message: string) => void;
	readonly now?: (() => number) | undefined;
}

/** Undefined in each answer: weft is turned off here, or its log cannot be opened. */
export interface AgentEngine {
	readonly engine: () => Engine | undefined;
	readonly project: () => LiveProject | undefined;
	/** Catches failures: each is written down where that is possible, and the first is said. */
	readonly door: Door;
	readonly close: () => void;
}

const RETRY_MS = 60_000;

export function openForAgent(place: AgentPlace): AgentEngine {
	const { port, env, now = Date.now } = place;
	let open: LiveProject | undefined;
	let failedAt: number | undefined;
	const warn = once((message) => place.warn(`weft: ${message}`));
	const door = new Door({
		record: (fault) => {
			if (open && !open.engine.log.readOnly) open.engine.record([{ type: "Fault", payload: { ...fault } }]);
		},
		tell: warn,
		goesOn: `${port.title} goes on without it`,
	});
	const project = (): LiveProject | undefined => {
		if (open?.engine.log.isOpen) {
			// Most of these agents do not say when a turn ends: new events leave for the fleet when we next hear of the agent.
			open.ship();
			return open;
		}
		if (failedAt !== undefined && now() - failedAt < RETRY_MS) return undefined;
		try {
			const engine = openQuietly(place, warn);
			const onFault = (where: string, error: unknown) => door.fail(where, error);
			open = engine && new LiveProject({ port, engine, env, now: place.now, onFault });
			failedAt = undefined;
		} catch (error) {
			open = undefined;
			failedAt = now();
			warn(`${errorText(error)} ${port.title} carries on without it.`);
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

/** Undefined where the settings turn weft off. */
function openQuietly({ port, cwd, env, home }: AgentPlace, warn: (message: string) => void): Engine | undefined {
	const flags = home === undefined ? undefined : { dbDir: home };
	const { settings, trusted } = readTrustedSettings({ env, cwd, projectRoot: projectRoot(cwd), flags }, false);
	if (!settings.enabled) return undefined;
	const powers = { canChangeInput: port.canChangeInput };
	const options = { cwd, env, home, host: port.name, trusted, warn, powers };
	try {
		return openEngine(options);
	} catch (error) {
		// A folder that cannot be written can still be read.
		if (!(error instanceof EngineError)) throw error;
		try {
			return openEngine({ ...options, readOnly: true });
		} catch {
			throw error;
		}
	}
}
