/** Passes hooks and calls of agents to the project's resident, before most of weft is loaded. Starts one if there is none. */
import { resolve } from "node:path";
import { MAX_MESSAGE_BYTES } from "../../agent/live/agent-messages.ts";
import { type ResidentAddress, residentAddress } from "../../agent/resident/address.ts";
import type { AgentCalls } from "../../agent/resident/call-lines.ts";
import { askResident, startResident } from "../../agent/resident/client.ts";
import { PassedCalls } from "../../agent/resident/passed-calls.ts";
import { residentSeconds } from "../../agent/resident/seconds.ts";
import { dataHome, projectRoot } from "../../log/home.ts";
import { hookInput } from "./hook-input.ts";

/** False: this process must answer the hook itself. Never throws. */
export async function passToResident(program: string, args: readonly string[]): Promise<boolean> {
	const { env } = process;
	if (residentSeconds(env) === 0) return false;
	const { message: input } = await hookInput(MAX_MESSAGE_BYTES);
	if (!input) return false;
	try {
		const found = findResident(program, args, process.cwd());
		if (!found) return false;
		const { address, start } = found;
		const request = { args: [program, ...args], env, input };
		const ask = () => askResident(address, request);
		let reply = await ask();
		if (reply.kind === "absent" && (await start())) reply = await ask();
		if (reply.kind !== "answered") return false;
		process.stdout.write(reply.text);
		return true;
	} catch {
		return false;
	}
}

export interface PassedProcess {
	/** The command. */
	readonly words: readonly string[];
	/** `--home`. */
	readonly home: string | undefined;
	/** Where the agent works. */
	readonly folder: string;
	/** Loads weft in this process. */
	readonly load: (folder: string) => Promise<AgentCalls>;
}

/** The calls of a process that stays: the resident answers them, or else this process. */
export function passedCalls({ words, home, folder: given, load }: PassedProcess): AgentCalls {
	const { env, pid } = process;
	const [, program = ""] = process.argv;
	const args = [...(home === undefined ? [] : ["--home", resolve(home)]), ...words];
	const folder = resolve(given);
	const found = residentSeconds(env) === 0 ? undefined : findResident(program, args, folder);
	const loadHere = () => load(folder);
	if (found)
		return new PassedCalls({ ...found, process: { args: [program, ...args], env, folder, pid }, load: loadHere });
	let calls: Promise<AgentCalls> | undefined;
	const here = () => {
		calls ??= loadHere();
		return calls;
	};
	return {
		answer: async (method, params, signal) => (await here()).answer(method, params, signal),
		end: async () => (await here()).end(),
	};
}

export interface ResidentPlace {
	readonly address: ResidentAddress;
	/** This weft with its options. */
	readonly words: readonly string[];
	readonly start: () => Promise<boolean>;
}

/** Undefined: there is none, or no project. `args`: of weft. */
export function placeOfResident(args: readonly string[], folder: string): ResidentPlace | undefined {
	const [, program = ""] = process.argv;
	const found = residentSeconds(process.env) === 0 ? undefined : findResident(program, args, resolve(folder));
	return found && { ...found, words: [program, ...args] };
}

/** Settings in files may name another data folder: the resident looks, and refuses then. */
function findResident(
	program: string,
	args: readonly string[],
	folder: string,
): { readonly address: ResidentAddress; readonly start: () => Promise<boolean> } | undefined {
	const { env } = process;
	const home = dataHome(optionIn(args, "--home") ?? env["WEFT_HOME"], env);
	const root = projectRoot(folder);
	const address = residentAddress(home, root);
	const command = [program, "resident", "--home", home, "--project", root];
	return address && { address, start: () => startResident(address, { command, env }) };
}

function optionIn(args: readonly string[], option: string): string | undefined {
	const at = args.indexOf(option);
	return at < 0 ? undefined : args[at + 1];
}
