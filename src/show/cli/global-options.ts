/** What every command takes. */
export const GLOBAL_OPTIONS: readonly (readonly [flags: string, description: string])[] = [
	["--home <dir>", "keep all data in this folder (or WEFT_HOME)"],
	["--project <dir>", "the project, if not that of the current folder"],
	["--json", "machine-readable output, of a stable shape"],
	["--no-color", "no colours (or NO_COLOR)"],
	["--trust", "trust the project's own settings for this run (or WEFT_TRUST=1)"],
];
