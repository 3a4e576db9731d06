/**
 * Engines that the hooks of one process share. Each hook reads the settings again, as a process of its own would; hooks with
 * equal settings get the same engine, so the guard remembers a call until its result. An engine in which something failed, or
 * whose log cannot be written, serves only the hooks that use it already: the next hook opens another.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { dataHome, projectRoot } from "../../log/home.ts";
import { ownVariables } from "../../settings/project-variables.ts";
import { readTrustedSettings } from "../../settings/trust.ts";
import type { AgentPort } from "../port.ts";
import { type AgentEngine, openAgentEngine } from "./agent-engine.ts";

/** The surroundings of one hook. */
export interface HookPlace {
	readonly env: NodeJS.ProcessEnv;
	/** `--home`. */
	readonly home: string | undefined;
	/** Where the session runs. */
	readonly cwd: string;
}

export interface SharedEngine {
	readonly engine: AgentEngine;
	/** For the user, since the engine was opened. */
	readonly notices: readonly string[];
	/** The hook is answered. */
	readonly release: () => void;
}

interface KeptEngine {
	readonly engine: AgentEngine;
	readonly notices: string[];
	users: number;
	isLeft: boolean;
}

/** Sessions with other settings, or in other folders of the project. */
const MAX_ENGINES = 8;

export class SharedEngines {
	readonly #port: AgentPort;
	/** False: an engine is closed after its hook. */
	readonly #stays: boolean;
	readonly #kept = new BoundedMap<string, KeptEngine>(MAX_ENGINES, (_, dropped) => this.#leave(dropped));

	constructor(port: AgentPort, { stays }: { readonly stays: boolean }) {
		this.#port = port;
		this.#stays = stays;
	}

	use(place: HookPlace): SharedEngine {
		const key = this.#stays ? keyOf(place) : undefined;
		const known = key === undefined ? undefined : this.#kept.get(key);
		const kept = known && isUsable(known) ? known : this.#open(key, place);
		if (known && known !== kept) this.#leave(known);
		kept.users++;
		const release = () => {
			kept.users--;
			if (key === undefined || !isUsable(kept)) {
				if (key !== undefined && this.#kept.get(key) === kept) this.#kept.delete(key);
				kept.isLeft = true;
			}
			closeUnused(kept);
		};
		return { engine: kept.engine, notices: kept.notices, release };
	}

	close(): void {
		for (const kept of this.#kept.values()) this.#leave(kept);
		this.#kept.clear();
	}

	#open(key: string | undefined, place: HookPlace): KeptEngine {
		const notices: string[] = [];
		const warn = (notice: string) => void notices.push(notice);
		const engine = openAgentEngine({ port: this.#port, ...place, warn, isForOneHook: !this.#stays });
		const kept: KeptEngine = { engine, notices, users: 0, isLeft: false };
		if (key !== undefined) this.#kept.set(key, kept);
		return kept;
	}

	#leave(kept: KeptEngine): void {
		kept.isLeft = true;
		closeUnused(kept);
	}
}

/** The project and the data folder of a hook. */
export function addressOf({ env, home, cwd }: HookPlace): { readonly root: string; readonly home: string } {
	const root = projectRoot(cwd);
	const { settings } = settingsOf({ env, home, cwd }, root);
	return { root, home: dataHome(settings.dbDir ?? undefined, ownVariables(env, [root, cwd])) };
}

/** Undefined: the settings cannot be read, and opening the engine will say why. */
function keyOf(place: HookPlace): string | undefined {
	try {
		const root = projectRoot(place.cwd);
		const { settings, trusted, problems, ignored } = settingsOf(place, root);
		return JSON.stringify([place.cwd, root, place.home, place.env["HOME"], settings, trusted, problems, ignored]);
	} catch {
		return undefined;
	}
}

function settingsOf({ env, home, cwd }: HookPlace, root: string) {
	const flags = home === undefined ? undefined : { dbDir: home };
	return readTrustedSettings({ env, cwd, projectRoot: root, flags }, false);
}

function isUsable({ engine, isLeft }: KeptEngine): boolean {
	if (isLeft || engine.door.hasFailed) return false;
	const log = engine.engine()?.log;
	// Without a log weft is off: a later hook has other settings.
	return log === undefined || !(log.readOnly || log.isDeleted);
}

function closeUnused({ engine, users, isLeft }: KeptEngine): void {
	if (isLeft && users === 0) engine.close();
}
