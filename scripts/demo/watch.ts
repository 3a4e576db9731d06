/** Watches the log while Pi works: verdicts, seals, decisions and faults since the last look. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatCount, plural } from "../../src/base/text/bytes.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { type EventRecord, isA } from "../../src/log/event/types.ts";
import { projectKey } from "../../src/log/home.ts";

export interface Notice {
	readonly kind: "guard" | "seal" | "decision" | "change" | "fault";
	readonly text: string;
	readonly seq: number;
}

export class LogWatch {
	readonly #project: string;
	readonly #home: string;
	#engine: Engine | undefined;
	#seq = 0;

	constructor(place: { readonly project: string; readonly home: string }) {
		this.#project = place.project;
		this.#home = place.home;
	}

	/** New notices; none while there is no log yet. */
	look(): Notice[] {
		const engine = this.#open();
		if (!engine) return [];
		const notices: Notice[] = [];
		for (const record of engine.log.read({ after: this.#seq })) {
			this.#seq = record.seq;
			const notice = noticeOf(record);
			if (notice) notices.push({ ...notice, seq: record.seq });
		}
		return notices;
	}

	[Symbol.dispose](): void {
		this.#engine?.close();
		this.#engine = undefined;
	}

	#open(): Engine | undefined {
		if (!this.#engine && existsSync(join(this.#home, "projects", projectKey(this.#project), "log.db"))) {
			this.#engine = openEngine({ cwd: this.#project, home: this.#home, host: "demo", env: {}, readOnly: true });
		}
		return this.#engine;
	}
}

function noticeOf(record: EventRecord): Omit<Notice, "seq"> | undefined {
	if (isA(record, "Verdict") && record.payload.verdict !== "refresh") {
		const { verdict, tool, path, rule, reason } = record.payload;
		const [first] = reason.split(". ");
		return {
			kind: "guard",
			text: `${tool} ${path ?? ""} ${verdict === "block" ? "blocked" : "warned"} (${rule}): ${first}`,
		};
	}
	if (isA(record, "Seal")) {
		const { why, tokensBefore, tokensAfter, left } = record.payload;
		const sizes = `${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`;
		return { kind: "seal", text: `${sizes}, ${plural(left, "message")} left for the log (${why})` };
	}
	if (isA(record, "Decision")) return { kind: "decision", text: record.payload.text };
	if (isA(record, "Fault")) return { kind: "fault", text: `${record.payload.where}: ${record.payload.message}` };
	if (isA(record, "FileChanged") && record.payload.actor === "other") {
		return { kind: "change", text: `${record.payload.path} was changed from outside` };
	}
	return undefined;
}
