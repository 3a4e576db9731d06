import type { EventRecord, KnownType } from "../event/types.ts";

/** The newest version of each event type that folds understand. Another type or a newer version is kept and passed over. */
const VERSIONS = {
	SessionStarted: 1,
	UserIntent: 1,
	ToolCalled: 1,
	ToolResult: 1,
	FileRead: 1,
	FileChanged: 1,
	CommandRun: 1,
	TestStatus: 1,
	Decision: 1,
	RepoMap: 1,
	Custom: 1,
	Message: 1,
	Summary: 1,
	Seal: 1,
	Request: 1,
	Transform: 1,
	Verdict: 1,
	MemoryWrite: 1,
	Subagent: 1,
	Entry: 1,
	ForeignLine: 1,
	Fault: 1,
	Pruned: 1,
} satisfies Readonly<Record<string, number>> & Readonly<Record<KnownType, number>>;

export function isKnown({ type, v }: Pick<EventRecord, "type" | "v">): boolean {
	return Object.hasOwn(VERSIONS, type) && v <= VERSIONS[type as KnownType];
}
