/** The memory of a made-up project, as recall gets it. */
import type { RecallItem, RecallKind, RecallSource } from "../../src/state/memory/recall/item-index.ts";

const day = (n: number) => Date.UTC(2026, 4, n);

type Row = readonly [RecallSource, RecallKind, string, number, string];

const ROWS: readonly Row[] = [
	[
		"session",
		"state",
		"Current State",
		20,
		"The importer for harbour manifests reads both formats; the third column is still parsed by hand.",
	],
	["session", "state", "Current State", 20, "Two tests of the berth planner fail since the time zone change."],
	[
		"session",
		"next",
		"Next Steps",
		20,
		"Replace the hand-written column parser by the shared tokenizer in src/manifest/tokens.ts.",
	],
	["session", "next", "Next Steps", 20, "Run the berth planner's tests with TZ=UTC and compare."],
	["session", "intent", "User Intent", 20, "Import harbour manifests of both vendors without a manual step."],
	["session", "file", "Active Files", 20, "src/manifest/reader.ts: reads vendor files line by line"],
	["session", "file", "Active Files", 20, "src/berth/planner.ts: assigns berths by draught and arrival"],
	[
		"session",
		"decision",
		"Decisions",
		19,
		"Manifests are validated before anything is written, because a half import cannot be undone.",
	],
	["session", "constraint", "Constraints", 19, "The vendor's sample files may not be committed."],
	[
		"session",
		"error",
		"Errors & Corrections",
		20,
		"ERR_OFFSET_UNKNOWN came from dates without a zone; the reader now assumes the harbour's zone.",
	],
	["memory", "fact", "Facts", 3, "The relay listens on port 7443 and answers only with a client certificate."],
	["memory", "fact", "Facts", 3, "Draughts are stored in centimetres, everywhere, as whole numbers."],
	["memory", "fact", "Facts", 4, "Nightly exports run at 02:30 on the machine called gannet."],
	["memory", "fact", "Facts", 5, "The customs endpoint answers 429 above five requests per second."],
	["memory", "fact", "Facts", 8, "The staging database is restored from the production dump every Monday."],
	[
		"memory",
		"fact",
		"Facts",
		9,
		"Vessel identifiers are IMO numbers with a check digit; src/vessel/imo.ts verifies it.",
	],
	["memory", "preference", "Preferences", 2, "The user wants commit messages in English and in the imperative."],
	["memory", "preference", "Preferences", 6, "Prefer small pull requests: one behaviour each."],
	["memory", "preference", "Preferences", 7, "Tables in reports are aligned with spaces, not with tabs."],
	[
		"memory",
		"constraint",
		"Constraints",
		2,
		"Never run migrations against production from a laptop; the pipeline does it.",
	],
	["memory", "constraint", "Constraints", 6, "The public API must stay compatible with clients of version 3."],
	["memory", "constraint", "Constraints", 9, "No dependency with a copyleft licence."],
	[
		"memory",
		"decision",
		"Decisions",
		5,
		"Queues are kept in PostgreSQL; Redis was tried and given up because of the second backup.",
	],
	["memory", "decision", "Decisions", 7, "Prices are rounded half to even, in resolveTariff, and nowhere else."],
	["memory", "decision", "Decisions", 10, "Authentication goes through the gateway; services trust its signed header."],
	["memory", "next", "Open Loops", 10, "The archive of 2024 has not been moved to cold storage yet."],
	["workspace", "constraint", "Deployment", 1, "Deployments happen on Tuesdays and Thursdays, never before a holiday."],
	[
		"workspace",
		"fact",
		"Architecture",
		1,
		"The scheduler, the planner and the ledger are separate processes that talk over NATS.",
	],
	[
		"workspace",
		"fact",
		"Testing",
		1,
		"Integration tests need a running PostgreSQL; start it with docker compose up db.",
	],
	[
		"history",
		"work",
		"2026-04-28",
		0,
		"Moved the ledger from floating point to integers; three reports changed by one cent.",
	],
	["history", "work", "2026-04-21", 0, "The flaky scheduler test was caused by a timer without a fake clock."],
	["history", "work", "2026-04-14", 0, "Introduced the retry policy for customs with exponential backoff and jitter."],
	[
		"history",
		"work",
		"2026-04-07",
		0,
		"Split the monolithic config into per-service files; the loader is src/config/load.ts.",
	],
	["memory", "fact", "Facts", 11, "港口代码使用联合国标准，大写五个字母。"],
	["memory", "constraint", "Constraints", 11, "发布前必须在预发布环境运行数据库迁移脚本。"],
	["memory", "fact", "Facts", 12, "입항 시간은 항구의 시간대로 저장한다."],
	["memory", "decision", "Decisions", 12, "請求書の番号は年ごとに一から始まる。"],
];

export const PROJECT_MEMORY: readonly RecallItem[] = ROWS.map(([source, kind, heading, on, text], n) => ({
	id: `f-${(0x1000_0000 + n).toString(16)}`,
	text,
	heading,
	source,
	kind,
	date: day(on),
	stretch: `${source} ${heading}`,
	file: source,
}));

export const PROJECT_NOW = day(21);
