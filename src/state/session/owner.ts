/**
 * The owner of a conversation, from the agent's own key of it: `agent:main:whatsapp:direct:alice`, `agent:main:telegram:group:42`.
 * Everything after the agent counts: channel, account, kind and peer, so that equal ids on two channels are two owners. A key
 * whose kind is unknown is an owner of its own.
 */

/** The person who runs the agent: the main session, and sessions that were opened under a plain name. */
export const OPERATOR = "operator";

const OF_AGENT = /^agent:[^:]+:(.+)$/s;
/** A heartbeat belongs to the session that it beats for, a run to its job. */
const TAIL = /:(?:heartbeat|run)(?::[^:]*)?$/;

/** For a session that the agent gave no key. */
export function ownerOfSession(session: string): string {
	return `session ${session}`;
}

export function ownerOfKey(key: string): string {
	const rest = (OF_AGENT.exec(key)?.[1] ?? key).replace(TAIL, "");
	return rest.includes(":") ? rest : OPERATOR;
}
