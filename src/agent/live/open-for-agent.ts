/**
 * The log of a project, for a process that an agent started. It is opened when it is first needed. Where that fails, the agent
 * goes on without us: it is said once, and tried again a while later.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { once } from "../../base/text/once.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { projectRoot } from "../../log/home.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import type { Fault } from "./door.ts";
import { FleetRecall } from "./fleet-recall.ts";
import { ShipLater } from "./ship-later.ts";

export interface AgentPlace {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Where all data lies; by default what the settings say. */
	readonly home?: string | undefined;
	/** Who records what does not name its host. */
	readonly host: string;
	readonly session?: string | undefined;
	/** True: a tool call's arguments may be changed before it runs. */
	readonly canChangeInput?: boolean | undefined;
	/** True: notes can be shown beside a result, and the process stays. */
	readonly canTell?: boolean | undefined;
	readonly warn: (message: string) => void;
	readonly now?: (() => number) | undefined;
}

export interface OpenedForAgent {
	/** undefined: there is no log, and none can be made; or weft is turned off. */
	readonly engine: () => Engine | undefined;
	/** False: it could not be written down. Never throws. */
	readonly record: (fault: Fault) => boolean;
	readonly close: () => void;
}

const RETRY_MS = 60_000;

export function openForAgent(place: AgentPlace): OpenedForAgent {
	const { now = Date.now, warn } = place;
	let engine: Engine | undefined;
	let shipping: ShipLater | undefined;
	let recall: FleetRecall | undefined;
	let failedAt: number | undefined;
	const tell = once((message) => warn(`weft: ${message}`));
	const opened = (): Engine | undefined => {
		if (engine?.log.isOpen) {
			// Such an agent does not say when a turn ends: what is new leaves when it is next heard of.
			shipping?.turnEnded();
			return engine;
		}
		if (failedAt !== undefined && now() - failedAt < RETRY_MS) return undefined;
		try {
			engine = open(place, tell);
			shipping = engine && ShipLater.of(engine, { env: place.env, now });
			recall = engine && place.canTell ? FleetRecall.of(engine, { env: place.env, now }) : undefined;
			failedAt = undefined;
		} catch (error) {
			engine = undefined;
			failedAt = now();
			tell(`${errorText(error)} The agent goes on without it.`);
		}
		return engine;
	};
	return {
		engine: opened,
		record: (fault) => {
			try {
				const log = opened();
				if (!log || log.log.readOnly) return false;
				log.record([{ type: "Fault", payload: { ...fault } }]);
				return true;
			} catch {
				return false;
			}
		},
		close: () => {
			try {
				shipping?.turnEnded({ isLast: true });
				recall?.close();
				engine?.close();
			} catch (error) {
				tell(errorText(error));
			}
		},
	};
}

/** Undefined where the settings turn weft off. */
function open(place: AgentPlace, warn: (message: string) => void): Engine | undefined {
	const { cwd, env, home, host, session, canChangeInput = false } = place;
	const flags = home === undefined ? undefined : { dbDir: home };
	const { settings, trusted } = readTrustedSettings({ env, cwd, projectRoot: projectRoot(cwd), flags }, false);
	if (!settings.enabled) return undefined;
	const options = { cwd, env, home, host, session, trusted, warn, powers: { canChangeInput } };
	try {
		return openEngine(options);
	} catch (error) {
		// A home that cannot be written can still be read.
		if (!(error instanceof EngineError)) throw error;
		try {
			return openEngine({ ...options, readOnly: true });
		} catch {
			throw error;
		}
	}
}
