/** The fleet of a project, and its name there. */
import { hostname, userInfo } from "node:os";
import { EngineError } from "../base/error/engine-error.ts";
import { git } from "../base/git/run.ts";
import type { Engine } from "../engine.ts";
import { dataHome } from "../log/home.ts";
import { type FleetAddress, readAddress, targetKey } from "../settings/fleet-address.ts";
import { isProjectWanted } from "./exclude.ts";

export interface FleetPlace {
	readonly address: FleetAddress;
	/** The key of the server in this log. */
	readonly target: string;
	/** The data home of all projects. */
	readonly home: string;
	readonly machine: string;
	readonly person: string;
}

export function fleetPlace({ settings }: Pick<Engine, "settings">, env: NodeJS.ProcessEnv): FleetPlace {
	const url = settings["fleet.url"];
	if (url === null) {
		throw new EngineError(
			"bad-config",
			"No fleet is configured. Name its server with 'weft config set fleet.url postgres://ROLE@HOST/DATABASE', or in WEFT_FLEET_URL.",
		);
	}
	const address = readAddress(url, env);
	return {
		address,
		target: targetKey(address),
		home: dataHome(settings.dbDir ?? undefined, env),
		machine: hostname(),
		person: personOf(env),
	};
}

function personOf(env: NodeJS.ProcessEnv): string {
	try {
		return userInfo().username;
	} catch {
		// A container may have a user without a name.
		return env["USER"] || "unknown";
	}
}

/** The project's name in the fleet: its git remote, else the name that its own file gives it. */
export async function projectName({
	project,
	settings,
}: Pick<Engine, "project" | "settings">): Promise<string | undefined> {
	return (await readRemote(project.root)) ?? settings["fleet.project"] ?? undefined;
}

/** The settings exclude the project: not a failure. */
export const NOT_WANTED = "not wanted";

/** The project's name. Throws if it has none, or the settings exclude it. */
export async function shippedName(engine: Pick<Engine, "project" | "settings">): Promise<string> {
	const name = await projectName(engine);
	if (name === undefined) {
		throw new EngineError(
			"refused",
			`${engine.project.root} has no git remote and no name of its own, so the fleet cannot know it. Write { "fleet.project": "NAME" } into .weft/config.json and run 'weft trust'.`,
		);
	}
	if (!isProjectWanted(name, engine.settings["fleet.projects"])) {
		throw new EngineError("refused", `${name} is not among fleet.projects. Nothing was sent.`, { cause: NOT_WANTED });
	}
	return name;
}

/**
 * `origin`, or else the first remote by name, as `github.com/owner/name`, however it was cloned. Undefined without git or a
 * remote.
 */
async function readRemote(folder: string): Promise<string | undefined> {
	let text = "";
	await git(folder, ["config", "--local", "--get-regexp", "^remote\\..*\\.url$"], {}, (chunk) => {
		text += chunk;
	});
	const urls = new Map(
		text.split("\n").flatMap((line) => {
			const [, name, url] = /^remote\.(.+)\.url (.+)$/.exec(line) ?? [];
			return name === undefined || url === undefined ? [] : [[name, url] as const];
		}),
	);
	const name = urls.has("origin") ? "origin" : [...urls.keys()].sort()[0];
	if (name === undefined) return undefined;
	// As git resolves it, with the user's own short forms (`url.*.insteadOf`) expanded.
	let url = "";
	await git(folder, ["remote", "get-url", name], {}, (chunk) => {
		url += chunk;
	});
	return normaliseRemote(url.trim() || (urls.get(name) ?? ""));
}

/** Other doors to the same house. */
const DOORS = new Map([
	["ssh.github.com", "github.com"],
	["altssh.gitlab.com", "gitlab.com"],
	["altssh.bitbucket.org", "bitbucket.org"],
]);

/** Undefined for a local path, which means nothing on another machine. */
export function normaliseRemote(url: string): string | undefined {
	const [, host, path] =
		/^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]/]+\]|[^/:@]+)(?::\d+)?\/+(.+)$/i.exec(url) ??
		/^(?:[^/\s]+@)?(\[[^\]/]+\]|[^/:@\s]{2,}):(?!\/\/)\/?(.+)$/.exec(url) ??
		[];
	if (host === undefined || path === undefined || /^file:/i.test(url)) return undefined;
	const name = path
		.replace(/[?#].*$/, "")
		.replace(/\/+$/, "")
		.replace(/\.git$/i, "")
		.replace(/\/{2,}/g, "/");
	if (name === "") return undefined;
	const named = host.toLowerCase().replace(/^www\./, "");
	const owner = DOORS.get(named) ?? named;
	// These servers ignore case.
	return `${owner}/${/^(?:github|gitlab|bitbucket)\./.test(owner) ? name.toLowerCase() : name}`;
}
