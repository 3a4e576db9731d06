/** What may leave the log after some days. Everything else is kept for good, types that we do not know too. */
export const PRUNABLE_TYPES = [
	"ToolCalled",
	"ToolResult",
	"FileRead",
	"FileChanged",
	"CommandRun",
	"TestStatus",
	"RepoMap",
	"Verdict",
	"Fault",
] as const;

const PRUNABLE: ReadonlySet<string> = new Set(PRUNABLE_TYPES);

export function isPrunable(type: string): boolean {
	return PRUNABLE.has(type);
}
