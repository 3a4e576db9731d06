/** What a session of weft gives to Pi beside its answers: tools for the model, commands and a status line for people. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Live } from "./live.ts";

export interface Equipment {
	/** After the mode has changed. */
	renew(): void;
}

export async function equip(pi: ExtensionAPI, live: () => Live | undefined): Promise<Equipment> {
	const [{ registerTools }, { registerCommands }, { registerStatus }, { TOOLS }] = await Promise.all([
		import("./tools.ts"),
		import("./commands/register.ts"),
		import("./status.ts"),
		import("../../tool/catalogue.ts"),
	]);
	const names: readonly string[] = TOOLS.map(({ name }) => name);
	let registered = false;
	const renew = () => {
		const wanted = live()?.mode() !== "off";
		if (wanted && !registered) {
			registered = true;
			// The guidelines stand in the system prompt: with counts in them each resume would change its bytes.
			let counts = false;
			registerTools(pi, () => (counts ? live() : undefined));
			counts = true;
		} else if (registered) {
			const others = pi.getActiveTools().filter((name) => !names.includes(name));
			pi.setActiveTools(wanted ? [...others, ...names] : others);
		}
	};
	registerCommands(pi, live);
	registerStatus(pi, live);
	renew();
	return { renew };
}
