/** Opens an address in the user's browser. */
import { spawn } from "node:child_process";

/** A program that still runs after this long is a browser. */
const STARTED_MS = 2_000;

/** False: no browser could be started, as on a machine without a screen. */
export function openInBrowser(address: string): Promise<boolean> {
	const [command, ...args] = browserCommand(address);
	return new Promise((resolve) => {
		const started = setTimeout(() => resolve(true), STARTED_MS);
		const end = (isOpen: boolean) => {
			clearTimeout(started);
			resolve(isOpen);
		};
		const child = spawn(command, args, { stdio: "ignore", detached: true });
		child.once("error", () => end(false));
		child.once("exit", (code) => end(code === 0));
		child.unref();
	});
}

function browserCommand(address: string): [string, ...string[]] {
	if (process.platform === "darwin") return ["open", address];
	if (process.platform === "win32") return ["cmd", "/c", "start", "", address.replaceAll("&", "^&")];
	return ["xdg-open", address];
}
