/**
 * Sub-agents: their parents, whether they began with the parent's messages, and how they ended. The log only grows: an event
 * after the spawn says that it failed.
 */

import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { SubagentEndReason, SubagentSpawnParams, SubagentSpawnPreparation } from "./contract.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const LIFE = "openclaw.subagent";
/** A child whose events are further back has ended long ago. */
const MAX_EVENTS_READ = 2_000;

export function prepareSpawn(
	engine: Engine,
	params: SubagentSpawnParams,
	parent: string,
	now: () => number,
): SubagentSpawnPreparation {
	const { childSessionKey: child, childSessionId, contextMode = "isolated", ttlMs } = params;
	const nth = livesOf(engine, child).length + 1;
	const base = { session: parent, host: OPENCLAW_HOST, ts: now(), entry: `subagent ${child} ${nth}` };
	engine.record([
		{ ...base, type: "Subagent", payload: { child } },
		{
			...base,
			type: "Custom",
			payload: { name: LIFE, data: { child, childSessionId, parent, contextMode, ttlMs, state: "prepared" } },
		},
	]);
	return {
		rollback: async () => {
			// A later spawn of the same child, or its end, is not this one's to undo.
			if (livesOf(engine, child).length === nth) endLife(engine, child, "rolled-back", now());
		},
	};
}

/** Records an end once. */
export function endLife(engine: Engine, child: string, state: SubagentEndReason | "rolled-back", now: number): void {
	const lives = livesOf(engine, child);
	const newest = lives[0];
	if (newest?.["state"] === state) return;
	const event: NewEvent = {
		type: "Custom",
		session: asName(newest?.["parent"]) ?? child,
		host: OPENCLAW_HOST,
		ts: now,
		entry: `subagent ${child} ${lives.length + 1}`,
		payload: { name: LIFE, data: { child, parent: asName(newest?.["parent"]), state } },
	};
	engine.record([event]);
}

export interface SubagentLife {
	/** The log's session that the sub-agent works for. */
	readonly parent: string;
	/** True: it begins with the parent's messages. */
	readonly isFork: boolean;
}

/** Undefined: the session is no sub-agent's. */
export function lifeOf(
	engine: Engine,
	now: number,
	{ sessionId, sessionKey }: { readonly sessionId: string; readonly sessionKey?: string | undefined },
): SubagentLife | undefined {
	for (const life of lives(engine)) {
		if (life["child"] !== sessionKey && life["childSessionId"] !== sessionId) continue;
		const { state, contextMode, ttlMs, ts } = life;
		const parent = asName(life["parent"]);
		if (parent === undefined) return undefined;
		// A child that did not begin in time has ended.
		const isOver = typeof ttlMs === "number" && now > Number(ts) + ttlMs;
		return { parent, isFork: state === "prepared" && contextMode === "fork" && !isOver };
	}
	return undefined;
}

/**
 * A fork begins with its parent's messages, and so with its parent's seed: the same bytes, which the provider has cached.
 * The seal is copied to the fork's session once, so that the two sessions are independent from then on.
 */
export function inheritSeal(engine: Engine, child: SessionRef, parent: string, now: number): void {
	const { tree } = engine.history;
	tree.catchUp();
	const newest = (types: readonly string[]) => {
		const query = { session: parent, host: child.host, types, order: "newest", limit: 20 } as const;
		return [...engine.log.read(query)];
	};
	const [seal] = newest(["Seal"]);
	const from = asName(seal?.payload["from"]);
	if (!seal || from === undefined || tree.find(child, from) === undefined) return;
	const transform = newest(["Transform"]).find(({ entry }) => entry === seal.payload["transform"]);
	const place = transform && tree.get(transform.cause ?? 0)?.entry;
	const cause = tree.find(child, place ?? from) ?? tree.find(child, from);
	const base = { ...child, ts: now, cause };
	const copies = [...(transform ? [transform] : []), seal].map(({ type, entry, payload }) => ({
		...base,
		type,
		entry,
		payload,
	}));
	engine.record(copies as unknown as readonly NewEvent[]);
}

/** Newest first. */
function livesOf(engine: Engine, child: string): JsonObject[] {
	return [...lives(engine)].filter((life) => life["child"] === child);
}

function* lives({ log }: Engine): Generator<JsonObject> {
	const query = { host: OPENCLAW_HOST, types: ["Custom"], order: "newest", limit: MAX_EVENTS_READ } as const;
	for (const { payload, ts } of log.read(query)) {
		const data = payload["name"] === LIFE ? asObject(payload["data"]) : undefined;
		if (data) yield { ...data, ts };
	}
}

/** The log's newest session with this session key of the host. */
export function sessionWithKey({ log }: Engine, key: string): string | undefined {
	for (const { session, payload } of log.read({
		host: OPENCLAW_HOST,
		types: ["SessionStarted"],
		order: "newest",
		limit: MAX_EVENTS_READ,
	})) {
		if (asObject(payload["raw"])?.["sessionKey"] === key) return session;
	}
	return undefined;
}
