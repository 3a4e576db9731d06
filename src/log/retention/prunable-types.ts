/** Types that pruning may remove. All others are kept for good, unknown types too. */
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
