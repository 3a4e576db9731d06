/**
 * Every setting, written once: `weft config`, its help and the table in the docs come from here. A plain table and no
 * schema library, because every hook process reads settings at its start. Names are those of the documents that weft
 * implements; only what some code reads stands here, the rest is reserved below.
 */
export interface KeySpec {
	readonly type: "boolean" | "integer" | "path";
	/** null: computed, as the description says. */
	readonly default: boolean | number | null;
	readonly min?: number;
	readonly description: string;
	/** Environment variables, the stronger first. */
	readonly env: readonly string[];
}

export const KEYS = {
	enabled: {
		type: "boolean",
		default: true,
		description: "false in any place turns weft off: hosts record nothing and change nothing",
		env: ["WEFT_ENABLED", "LCM_ENABLED"],
	},
	dbDir: {
		type: "path",
		default: null,
		description: "folder of all data; by default weft in $XDG_DATA_HOME, else ~/.local/share/weft",
		env: ["WEFT_HOME", "WEFT_DB_DIR", "LCM_DB_DIR"],
	},
	autoPrune: {
		type: "boolean",
		default: true,
		description: "prune old tool events when a session ends; messages are always kept",
		env: ["WEFT_AUTO_PRUNE", "LCM_AUTO_PRUNE"],
	},
	pruneDays: {
		type: "integer",
		default: 7,
		min: 1,
		description: "events younger than this many days are never pruned",
		env: ["WEFT_PRUNE_DAYS", "LCM_PRUNE_DAYS"],
	},
	minEventsToKeep: {
		type: "integer",
		default: 2000,
		min: 0,
		description: "pruning leaves at least this many of the newest events",
		env: ["WEFT_MIN_EVENTS_TO_KEEP", "LCM_MIN_EVENTS_TO_KEEP"],
	},
	debugMode: {
		type: "boolean",
		default: false,
		description: "write what weft does to debug.log in the project's data folder",
		env: ["WEFT_DEBUG_MODE", "LCM_DEBUG_MODE"],
	},
} as const satisfies Readonly<Record<string, KeySpec>>;

/** Accepted in existing files, so that they need no change, but without effect in this version. */
export const RESERVED_KEYS: readonly string[] = [
	"compactionModels",
	"condensationThreshold",
	"enforceDiscoveryOrder",
	"enforceEditOrder",
	"largFileThresholdTokens",
	"leafChunkTokens",
	"maxDepth",
	"maxReadAgeMs",
	"maxReadLines",
	"mode",
	"policyMode",
	"requireReadBeforeWrite",
];

export type SettingKey = keyof typeof KEYS;

type ValueOf<Spec extends KeySpec> = Spec["type"] extends "boolean"
	? boolean
	: Spec["type"] extends "integer"
		? number
		: string | null;

export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof KEYS)[Key]> };

export const SETTING_KEYS = Object.keys(KEYS) as readonly SettingKey[];
