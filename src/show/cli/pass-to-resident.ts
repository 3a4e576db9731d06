/** Passes a hook of Codex to the project's resident, before most of weft is loaded. Starts a resident if there is none. */
import { MAX_MESSAGE_BYTES } from "../../agent/live/agent-messages.ts";
import { residentAddress } from "../../agent/resident/address.ts";
import { askResident, startResident } from "../../agent/resident/client.ts";
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
		// Settings in files may name another data folder: the resident looks, and refuses then.
		const home = dataHome(optionIn(args, "--home") ?? env["WEFT_HOME"], env);
		const root = projectRoot(process.cwd());
		const address = residentAddress(home, root);
		if (!address) return false;
		const request = { args: [program, ...args], env, input };
		const ask = () => askResident(address, request);
		const start = () => {
			const command = [program, "resident", "--home", home, "--project", root];
			return startResident(address, { command, env });
		};
		let reply = await ask();
		if (reply.kind === "absent" && (await start())) reply = await ask();
		if (reply.kind !== "answered") return false;
		process.stdout.write(reply.text);
		return true;
	} catch {
		return false;
	}
}

function optionIn(args: readonly string[], option: string): string | undefined {
	const at = args.indexOf(option);
	return at < 0 ? undefined : args[at + 1];
}
