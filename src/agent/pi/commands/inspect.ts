/** `/weft inspect`: opens the inspector on this session, in a process that ends with Pi. */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownModule } from "../../../base/file/package-file.ts";
import { openInBrowser } from "../../../base/net/browser.ts";
import { inspectCommand } from "../../../view/inspect-command.ts";
import { NODE_PROGRAM } from "../../live/command-process.ts";
import type { CommandInput } from "./command-input.ts";

const START_LIMIT_MS = 60_000;

interface RunningInspector {
	readonly child: ChildProcess;
	readonly address: string;
}

/** One inspector serves all sessions of this process. */
let started: Promise<RunningInspector> | undefined;

export async function inspect({ ctx, live }: CommandInput): Promise<string> {
	const { engine, session } = live;
	// In these modes Pi ends once it has answered, and the inspector would end with it.
	if (ctx.mode === "print" || ctx.mode === "json")
		return `Run this, and open the address that it prints:\n${inspectCommand(engine, session.session)}`;
	const home = dirname(dirname(engine.project.folder));
	const place = { home, root: engine.project.root, session: session.session };
	const { address } = await startInspector(place);
	if (ctx.mode !== "tui") return `The inspector: ${address}`;
	const isOpen = await openInBrowser(address);
	return `${isOpen ? "The inspector is open in your browser" : "Open the inspector in your browser"}: ${address}`;
}

export interface InspectedSession {
	readonly home: string;
	readonly root: string;
	readonly session: string;
}

/** Starts the inspector once; later calls only give the address of their session. */
export async function startInspector(place: InspectedSession): Promise<RunningInspector> {
	const running = await started?.catch(() => undefined);
	if (running && running.child.exitCode === null) return { ...running, address: addressOf(running.address, place) };
	started = start(place);
	return started;
}

async function start({ home, root, session }: InspectedSession): Promise<RunningInspector> {
	const cli = ownModule("show/cli/main");
	if (cli === undefined)
		throw new EngineError("not-shipped", "This copy of weft has no command line. Install it whole.");
	const args = ["--home", home, "--project", root, "--session", session];
	const child = spawn(NODE_PROGRAM, [cli, "inspect", "--json", ...args], { stdio: ["ignore", "pipe", "pipe"] });
	const end = () => void child.kill();
	process.once("exit", end);
	child.once("close", () => process.off("exit", end));
	const limit = setTimeout(end, START_LIMIT_MS);
	try {
		return { child, address: await readAddress(child) };
	} finally {
		clearTimeout(limit);
	}
}

function readAddress({ stdout, stderr }: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		let output = "";
		let errors = "";
		stderr?.on("data", (chunk: Buffer) => {
			errors += chunk.toString();
		});
		stdout?.on("data", (chunk: Buffer) => {
			output += chunk.toString();
			const address = /"address":"([^"]+)"/.exec(output)?.[1];
			if (address !== undefined) resolve(address);
		});
		stdout?.on("close", () =>
			reject(new EngineError("refused", `The inspector did not start. ${errors.slice(0, 500)}`)),
		);
	});
}

function addressOf(address: string, { session }: InspectedSession): string {
	return address.replace(/\/s\/[^/]+\//, `/s/${encodeURIComponent(session)}/`);
}
