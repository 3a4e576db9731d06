/** Which sessions a question is about: those in scope, by the agent, session and time that it names. */
import { EngineError } from "../base/error/engine-error.ts";
import { isWithin } from "../log/search/filter.ts";
import type { SessionFilter } from "../log/search/types.ts";
import { agentSessions, findSession } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { type QuestionReading, readPlace, readQuestion } from "./question.ts";
import type { TimeSpan } from "./time-span.ts";
import type { AskInput, AskSources } from "./types.ts";

/** A question with the names in it resolved. */
export interface NarrowedQuestion {
	readonly sources: AskSources;
	readonly reading: QuestionReading;
	readonly span: TimeSpan | undefined;
	/** In scope, and of the agent, session and time that are named; the last active first. */
	readonly sessions: readonly SessionState[];
	/** The same, the asker's own first. */
	readonly nearest: readonly SessionState[];
	/** For searches: the same sessions. */
	readonly within: SessionFilter;
	/** The number of sessions in scope. */
	readonly inScope: number;
	/** True: an agent or a session is named. */
	readonly isNamed: boolean;
}

/** Throws `not-found` or `usage` for an agent or a session that the asker does not have. */
export function narrowQuestion(sources: AskSources, input: AskInput): NarrowedQuestion {
	const { log, scope, session: asker, now } = sources;
	// A reset ends what comes back by itself. A session that is named was asked for.
	const readable = input.session === undefined ? scope.recalled : scope.searched;
	const all = agentSessions(log).filter(({ session }) => isWithin(readable, session));
	const hosts = [...new Set(all.map(({ host }) => host))];
	const read = readQuestion(input.question, { hosts, now });
	const reading = input.path === undefined ? read : { ...read, place: readPlace(input.path) };
	const span = givenSpan(input, now) ?? reading.span;
	const named = input.session === undefined ? undefined : findSession(log, input.session, readable).session;
	const agents = input.agent === undefined ? reading.agents : [hostNamed(input.agent, hosts)];
	const other = reading.isOther && named === undefined && agents.length === 0 ? othersOf(all, asker) : undefined;
	const isMeant = ({ session, host, first_ts, last_ts }: SessionState) =>
		(named === undefined || session === named || session.startsWith(`${named}/`) || session.startsWith(`${named}--`)) &&
		(agents.length === 0 || agents.includes(host)) &&
		(other === undefined || other.has(session)) &&
		(span === undefined || (last_ts >= span.since && first_ts < span.until));
	const meant = all.filter(isMeant);
	const isGiven = named !== undefined || input.agent !== undefined;
	// Words of the question may name an agent by chance: where it did nothing, they do not narrow.
	const isNamed = isGiven || ((agents.length > 0 || other !== undefined) && meant.length > 0);
	const inTime = ({ first_ts, last_ts }: SessionState) =>
		span === undefined || (last_ts >= span.since && first_ts < span.until);
	const sessions = isNamed ? meant : all.filter(inTime);
	const own = ({ session, host }: SessionState) => session === asker?.session && host === asker.host;
	return {
		sources,
		reading,
		span,
		sessions,
		nearest: [...sessions.filter(own), ...sessions.filter((each) => !own(each))],
		within: isNamed ? { only: sessions.map(({ session }) => session) } : readable,
		inScope: all.length,
		isNamed,
	};
}

function givenSpan({ since, until }: AskInput, now: number): TimeSpan | undefined {
	if (since === undefined && until === undefined) return undefined;
	return { since: since ?? 0, until: until ?? now + 1, words: "the given span" };
}

function hostNamed(given: string, hosts: readonly string[]): string {
	const name = given.trim().toLowerCase().replaceAll(" ", "-");
	const found = hosts.find((host) => host === name) ?? hosts.find((host) => host.startsWith(name));
	if (found !== undefined && name !== "") return found;
	throw new EngineError(
		"usage",
		`Unknown agent '${given.slice(0, 80)}'. This log has ${hosts.join(", ") || "none yet"}.`,
	);
}

/** Sessions of other agents; where there is only one agent, other sessions. */
function othersOf(all: readonly SessionState[], asker: AskSources["session"]): ReadonlySet<string> {
	const self = asker ?? all[0];
	const byOthers = all.filter(({ host }) => host !== self?.host);
	const others = byOthers.length > 0 ? byOthers : all.filter(({ session }) => session !== self?.session);
	return new Set(others.map(({ session }) => session));
}
