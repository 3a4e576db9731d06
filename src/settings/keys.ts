/**
 * Every setting: `weft config`, its help and the table in the docs come from here. A plain table without a schema library,
 * because every hook process reads settings at its start. The names come from the documents that weft implements.
 */
export interface ModelName {
	readonly provider: string;
	readonly id: string;
}

export interface KeySpec {
	/** `share` is a number from 0 to 1; `paths` are paths of files; `names` and `text` are taken verbatim; `prices` are lines with `=`, and paths. */
	readonly type: "boolean" | "integer" | "share" | "path" | "text" | "choice" | "models" | "paths" | "names" | "prices";
	/** null: computed, as the description says. */
	readonly default: boolean | number | string | null | readonly ModelName[] | readonly string[];
	readonly min?: number | undefined;
	/** For a choice. */
	readonly choices?: readonly string[] | undefined;
	readonly description: string;
	/** Environment variables, the stronger first. */
	readonly env: readonly string[];
	/** A project's own file cannot set it, trusted or not: a clone must not send the log elsewhere. */
	readonly isUsersAlone?: boolean | undefined;
}

export const KEYS = {
	enabled: {
		type: "boolean",
		default: true,
		description: "false in any place turns weft off: agents record nothing and change nothing",
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
		description: "when a session ends, move old tool events to an archive; messages are always kept",
		env: ["WEFT_AUTO_PRUNE", "LCM_AUTO_PRUNE"],
	},
	pruneDays: {
		type: "integer",
		default: 7,
		min: 1,
		description: "archive tool events this many days after they entered the log",
		env: ["WEFT_PRUNE_DAYS", "LCM_PRUNE_DAYS"],
	},
	minEventsToKeep: {
		type: "integer",
		default: 2000,
		min: 0,
		description: "keep at least this many of the newest events when pruning",
		env: ["WEFT_MIN_EVENTS_TO_KEEP", "LCM_MIN_EVENTS_TO_KEEP"],
	},
	debugMode: {
		type: "boolean",
		default: false,
		description: "write weft's actions to debug.log in the project's data folder",
		env: ["WEFT_DEBUG_MODE", "LCM_DEBUG_MODE"],
	},
	mode: {
		type: "choice",
		default: "woven",
		choices: ["woven", "warp", "lossless", "off"],
		description:
			"what the model sees: woven (epochs), warp (computed for each run), lossless (summaries), off (recorded only)",
		env: ["WEFT_MODE"],
	},
	warpPer: {
		type: "choice",
		default: "run",
		choices: ["run", "request"],
		description: "in warp: compute the context once per run and keep it, or again for every request",
		env: ["WEFT_WARP_PER"],
	},
	profile: {
		type: "choice",
		default: "balanced",
		choices: ["thrifty", "balanced", "roomy", "full"],
		description:
			"how much stays after a seal: seed and raw turns of 7,000 + 2,500, 11,000 + 4,000, 16,500 + 6,000 or 26,000 + 8,000 tokens, fewer raw turns in the first 200 messages of a session, less of both where nothing is cached, more where reading from the cache costs almost nothing",
		env: ["WEFT_PROFILE"],
	},
	seal: {
		type: "choice",
		default: "auto",
		choices: ["auto", "thrift", "window", "late", "host"],
		description:
			"when text leaves the context by itself: thrift (when keeping it costs more), window (a share of the window is full), late (near its limit), host (only when the agent would compact), auto (late for a model that costs nothing, window for a flat rate, host where the agent's compaction is off, else thrift)",
		env: ["WEFT_SEAL"],
	},
	sealShare: {
		type: "integer",
		default: 60,
		min: 10,
		description: "with seal: window: the percent of the window that must be full; at most 85",
		env: ["WEFT_SEAL_SHARE"],
	},
	controlShare: {
		type: "share",
		default: 0,
		description:
			"share of your sessions, from 0 to 1, whose prompts weft does not shorten; 'weft trial --report' then compares both kinds",
		env: ["WEFT_CONTROL_SHARE"],
	},
	policyMode: {
		type: "choice",
		default: "enforce",
		choices: ["enforce", "report"],
		description: "enforce: the guard blocks; report: it only records its verdict",
		env: ["WEFT_POLICY_MODE"],
	},
	requireReadBeforeWrite: {
		type: "boolean",
		default: true,
		description:
			"before an edit, check that the agent knows the text of the file as it is on disk; false turns these checks off",
		env: ["WEFT_REQUIRE_READ_BEFORE_WRITE"],
	},
	keepBytes: {
		type: "integer",
		default: 1_000_000_000,
		min: 0,
		description:
			"space for files kept before commands that may take them, in bytes; the oldest leave first; 0: keep only what one command may take",
		env: ["WEFT_KEEP_BYTES"],
	},
	maxReadAgeMs: {
		type: "integer",
		default: 7_200_000,
		min: 0,
		description:
			"a file read longer ago than this must be read again before an edit, once its text has left the context, or in warp; 0: never",
		env: ["WEFT_MAX_READ_AGE_MS"],
	},
	maxReadLines: {
		type: "integer",
		default: 500,
		min: 0,
		description:
			"maximum lines of one read; 0: no limit. Unless you set it, a longer read passes in woven and lossless if the context has room",
		env: ["WEFT_MAX_READ_LINES"],
	},
	enforceDiscoveryOrder: {
		type: "boolean",
		default: true,
		description: "exact search before semantic search",
		env: ["WEFT_ENFORCE_DISCOVERY_ORDER"],
	},
	enforceEditOrder: {
		type: "boolean",
		default: true,
		description: "a patch edit before a fast-apply edit",
		env: ["WEFT_ENFORCE_EDIT_ORDER"],
	},
	leafChunkTokens: {
		type: "integer",
		default: 4_000,
		min: 500,
		description: "tokens of messages that one summary covers, roughly",
		env: ["WEFT_LEAF_CHUNK_TOKENS", "LCM_LEAF_CHUNK_TOKENS"],
	},
	condensationThreshold: {
		type: "integer",
		default: 6,
		min: 2,
		description: "with more summaries of one depth than this, the oldest are condensed into one of the next depth",
		env: ["WEFT_CONDENSATION_THRESHOLD", "LCM_CONDENSATION_THRESHOLD"],
	},
	maxDepth: {
		type: "integer",
		default: 5,
		min: 1,
		description: "summaries of this depth are not condensed",
		env: ["WEFT_MAX_DEPTH", "LCM_MAX_DEPTH"],
	},
	maxSummaryTokens: {
		type: "integer",
		default: 8_000,
		min: 500,
		description: "in lossless: maximum tokens of summaries in the context; less in a small window",
		env: ["WEFT_MAX_SUMMARY_TOKENS", "LCM_MAX_SUMMARY_TOKENS"],
	},
	compactionModels: {
		type: "models",
		default: [
			{ provider: "cerebras", id: "zai-glm-4.7" },
			{ provider: "anthropic", id: "claude-haiku-4-5" },
		],
		description:
			"models that write summaries, tried in order; then the session's own model, then the deterministic summariser",
		env: [],
	},
	memory: {
		type: "boolean",
		default: true,
		description: "keep SESSION.md, MEMORY.md and HISTORY.md in the project's data folder",
		env: ["WEFT_MEMORY"],
	},
	memoryModels: {
		type: "choice",
		default: "auto",
		choices: ["auto", "configured", "session", "none"],
		description:
			"models that write memory, always in the background: those set in compactionModels, also the session's own, or none; auto: none until you have answered weft's question, asked once",
		env: ["WEFT_MEMORY_MODELS"],
	},
	memoryBudget: {
		type: "integer",
		default: 20,
		min: 0,
		description:
			"maximum cents (US) that models may cost per day and project for memory; then they pause until the next day",
		env: ["WEFT_MEMORY_BUDGET"],
		isUsersAlone: true,
	},
	largFileThresholdTokens: {
		type: "integer",
		default: 25_000,
		min: 1_000,
		description:
			"a tool result or pasted file above this enters the context as an outline with a handle; the name is spelt as in pi-lcm",
		env: ["WEFT_LARGE_FILE_THRESHOLD_TOKENS", "LCM_LARGE_FILE_THRESHOLD_TOKENS"],
	},
	prices: {
		type: "prices",
		default: [],
		description:
			"prices of models, each as model=input/cache read/cache write/output/write for an hour in dollars per million tokens, or the path of a list in the format of models.dev or LiteLLM; the agent's own price wins",
		env: [],
	},
	handlers: {
		type: "paths",
		default: [],
		description: "files with your own context handlers, relative to the configuration file; only in trusted projects",
		env: [],
	},
	"fleet.url": {
		type: "text",
		default: null,
		description:
			"the team's PostgreSQL, as postgres://user@host/database or service=NAME of libpq's own files; weft copies what it records there in the background",
		env: ["WEFT_FLEET_URL"],
		isUsersAlone: true,
	},
	"fleet.project": {
		type: "text",
		default: null,
		description: "the project's name in the fleet, where it has no git remote",
		env: ["WEFT_FLEET_PROJECT"],
	},
	"fleet.mask": {
		type: "choice",
		default: "masked",
		choices: ["masked", "exact"],
		description: "masked: credentials are hidden before an event leaves; exact: for your own server",
		env: ["WEFT_FLEET_MASK"],
		isUsersAlone: true,
	},
	"fleet.projects": {
		type: "names",
		default: [],
		description: "ship only these projects, by their names in the fleet; a * at the end matches any rest; none: all",
		env: [],
		isUsersAlone: true,
	},
	"fleet.exclude": {
		type: "names",
		default: [],
		description: "never ship these, each as path:TEXT (every step that names it), session:ID or tool:NAME",
		env: [],
		isUsersAlone: true,
	},
	"fleet.recall": {
		type: "boolean",
		default: false,
		description:
			"tell the model when an open failure was resolved elsewhere in the fleet, with the handle of what resolved it",
		env: ["WEFT_FLEET_RECALL"],
		isUsersAlone: true,
	},
} as const satisfies Readonly<Record<string, KeySpec>>;

export type SettingKey = keyof typeof KEYS;

type ValueOf<Spec extends KeySpec> = Spec["type"] extends "boolean"
	? boolean
	: Spec["type"] extends "integer" | "share"
		? number
		: Spec["type"] extends "models"
			? readonly ModelName[]
			: Spec["type"] extends "paths" | "names" | "prices"
				? readonly string[]
				: Spec["choices"] extends readonly (infer Choice)[]
					? Choice
					: string | null;

export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof KEYS)[Key]> };

export const SETTING_KEYS = Object.keys(KEYS) as readonly SettingKey[];
