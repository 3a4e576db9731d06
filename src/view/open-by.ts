import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";

/**
 * The other processes that have a file open, as `name (pid)`. Only where the system tells (Linux), and only those whose
 * owner we are; undefined elsewhere.
 */
export function processesWith(path: string): string[] | undefined {
	try {
		const target = realpathSync(path);
		return readdirSync("/proc")
			.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && hasOpen(name, target))
			.map((pid) => `${commandName(pid)} (${pid})`);
	} catch {
		return undefined;
	}
}

function hasOpen(pid: string, target: string): boolean {
	try {
		return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === target);
	} catch {
		// Another user's process, or one that has just ended.
		return false;
	}
}

function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

function commandName(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
	} catch {
		return "process";
	}
}
