/** `/weft inspect`: the inspector on the session at hand, in a process of its own that ends with Pi. */
import { type ChildProcess, spawn } from "node:child_process";
import { basename, dirname } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownModule } from "../../../base/file/package-file.ts";
import { inspectCommand } from "../../../view/inspect-command.ts";
import type { Asked } from "./asked.ts";

const START_LIMIT_MS = 60_000;

interface Started {
	readonly child: ChildProcess;
	readonly address: string;
}

/** One serves all sessions of this process. */
let started: Promise<Started> | undefined;

export async function inspect({ ctx, live }: Asked): Promise<string> {
	const { engine, session } = live;
	// Pi ends as soon as it has answered, and the inspector would end with it.
	if (ctx.mode === "print" || ctx.mode === "json")
		return `Run this, and open the address that it prints:\n${inspectCommand(engine, session.session)}`;
	const home = dirname(dirname(engine.project.folder));
	const place = { home, root: engine.project.root, session: session.session };
	const isHere = ctx.mode === "tui";
	const { address } = await startInspector(place, { open: isHere });
	return `${isHere ? "The inspector is open in your browser" : "The inspector"}: ${address}`;
}

export interface InspectPlace {
	readonly home: string;
	readonly root: string;
	readonly session: string;
}

/** The address of the session's page. Further calls give that of their session. */
export async function startInspector(place: InspectPlace, options: { readonly open: boolean }): Promise<Started> {
	const running = await started?.catch(() => undefined);
	if (running && running.child.exitCode === null) return { ...running, address: addressOf(running.address, place) };
	started = start(place, options);
	return started;
}

async function start({ home, root, session }: InspectPlace, { open }: { readonly open: boolean }): Promise<Started> {
	const cli = ownModule("show/cli/main");
	if (cli === undefined)
		throw new EngineError("not-shipped", "This copy of weft has no command line. Install it whole.");
	const args = [
		"inspect",
		"--json",
		"--home",
		home,
		"--project",
		root,
		"--session",
		session,
		...(open ? ["--open"] : []),
	];
	// Pi may be a program of its own; the inspector needs Node.
	const node = /^node/.test(basename(process.execPath)) ? process.execPath : "node";
	const child = spawn(node, [cli, ...args], { stdio: ["ignore", "pipe", "pipe"] });
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
		let said = "";
		let wrong = "";
		stderr?.on("data", (chunk: Buffer) => {
			wrong += chunk.toString();
		});
		stdout?.on("data", (chunk: Buffer) => {
			said += chunk.toString();
			const address = /"address":"([^"]+)"/.exec(said)?.[1];
			if (address !== undefined) resolve(address);
		});
		stdout?.on("close", () =>
			reject(new EngineError("refused", `The inspector did not start. ${wrong.slice(0, 500)}`)),
		);
	});
}

function addressOf(address: string, { session }: InspectPlace): string {
	return address.replace(/\/s\/[^/]+\//, `/s/${encodeURIComponent(session)}/`);
}
