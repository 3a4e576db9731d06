/** Does the ledger hold what really happened? A recorded session, imported and folded, beside a count of its raw lines. */

import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { projectState } from "../../src/context/project-state.ts";
import { Log } from "../../src/log/log.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";
import { type RawLedger, readRawLedger } from "./raw-ledger.ts";

export interface LedgerCheck {
	readonly events: number;
	readonly read: number;
	readonly changed: number;
	readonly commands: number;
	/** In the raw lines, not in the ledger. */
	readonly missing: readonly string[];
	/** In the ledger, not in the raw lines. */
	readonly unfounded: readonly string[];
	/** Commands that differ, or whose exits do. */
	readonly wrongCommands: readonly string[];
}

export async function checkLedger(path: string): Promise<LedgerCheck> {
	const folder = temporaryFolder();
	try {
		using log = new Log({ folder, origin: "check" });
		await importFile(path, { readers: READERS, logFor: () => log });
		return { events: log.newestSeq(), ...compareLedgers(await readRawLedger(path), ledgerOf(log)) };
	} finally {
		removeFolder(folder);
	}
}

/** What differs between the raw lines and the log. Pure. */
export function compareLedgers(raw: RawLedger, known: RawLedger): Omit<LedgerCheck, "events"> {
	return {
		read: known.read.size,
		changed: known.changed.size,
		commands: known.commands.length,
		missing: [...without(raw.read, known.read, "read"), ...without(raw.changed, known.changed, "changed")],
		unfounded: [...without(known.read, raw.read, "read"), ...without(known.changed, raw.changed, "changed")],
		wrongCommands: differing(raw.commands, known.commands),
	};
}

function ledgerOf(log: Log): RawLedger {
	const files = Object.values(projectState(log, { snapshots: false }).current().state.files.files);
	const commands: [string, number | null][] = [];
	for (const { payload } of log.read({ types: ["CommandRun"] })) {
		commands.push([String(payload["command"]), (payload["exit"] ?? null) as number | null]);
	}
	return {
		read: new Set(files.filter((file) => file.reads > 0).map((file) => file.path)),
		changed: new Set(files.filter((file) => file.changes > 0).map((file) => file.path)),
		commands,
	};
}

function without(one: ReadonlySet<string>, other: ReadonlySet<string>, verb: string): string[] {
	return [...one].filter((path) => !other.has(path)).map((path) => `${verb} ${path}`);
}

type Commands = readonly (readonly [string, number | null])[];

function differing(raw: Commands, known: Commands): string[] {
	const found: string[] = [];
	for (let at = 0; at < Math.max(raw.length, known.length); at++) {
		const [one, other] = [raw[at], known[at]];
		if (one?.[0] === other?.[0] && one?.[1] === other?.[1]) continue;
		found.push(`#${at + 1}: ${words(one)} in the file, ${words(other)} in the log`);
	}
	return found;
}

function words(command: Commands[number] | undefined): string {
	return command ? `'${command[0].slice(0, 100)}' with exit ${command[1] ?? "unknown"}` : "nothing";
}
