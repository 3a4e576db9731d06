/**
 * Pi's own setting `compaction.enabled`. A user who turned it off wants no text to leave unasked, so weft heeds it. Pi tells
 * extensions nothing of its settings, and the user can change them at any time: the files are read when they have changed.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { readBounded, statOf } from "../../base/file/regular-file.ts";
import { asObject, parseObject } from "../../base/json/read.ts";
import { MAX_CONFIG_BYTES } from "../../settings/sources.ts";

export interface PiSettingPlaces {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	/** False: Pi does not read the project's own file. */
	readonly trusted: boolean;
}

export class CompactionSetting {
	readonly #read = new Map<string, { readonly stamp: string; readonly enabled: boolean | undefined }>();

	/** The project's file counts before the user's; true where neither says. */
	isEnabled({ env, cwd, trusted }: PiSettingPlaces): boolean {
		const agentFolder = env["PI_CODING_AGENT_DIR"] || join(env["HOME"] || homedir(), ".pi", "agent");
		const own = trusted ? this.#enabledIn(join(cwd, ".pi", "settings.json")) : undefined;
		return own ?? this.#enabledIn(join(agentFolder, "settings.json")) ?? true;
	}

	#enabledIn(file: string): boolean | undefined {
		const stat = statOf(file);
		if (!stat) return undefined;
		const stamp = `${stat.mtimeMs} ${stat.size}`;
		const known = this.#read.get(file);
		if (known?.stamp === stamp) return known.enabled;
		const reading = readBounded(file, MAX_CONFIG_BYTES);
		const content = reading.kind === "bytes" ? parseObject(reading.bytes.toString("utf8")) : undefined;
		const value = asObject(content?.["compaction"])?.["enabled"];
		const enabled = typeof value === "boolean" ? value : undefined;
		this.#read.set(file, { stamp, enabled });
		return enabled;
	}
}
