/**
 * The owner of a conversation, from the agent's own key of it: `agent:main:whatsapp:direct:alice`, `agent:main:telegram:group:42`.
 * Everything after the agent counts: channel, account, kind and peer, so that equal ids on two channels are two owners. A key
 * whose kind is unknown is an owner of its own.
 */

/** The person who runs the agent: the main session, and sessions that were opened under a plain name. */
export const OPERATOR = "operator";

const OF_AGENT = /^agent:[^:]+:(.+)$/s;
/** A run belongs to its job, and a heartbeat to the session that it beats for. */
const RUN_OF_JOB = /^(cron:.+):run:[^:]*$/s;
/**
 * Not of one person: the agent writes a person's id as it is, so somebody may be called `alice:heartbeat`. Nor of a room whose id
 * begins with a sign, as Matrix and IRC have them: such an id may end with the name of a server.
 */
const HEARTBEAT = /^((?!(?:.*:)?(?:(?:direct|dm):|[!#&@])).+):heartbeat$/s;

/** For a session that the agent gave no key. */
export function ownerOfSession(session: string): string {
	return `session ${session}`;
}

const OF_SEVERAL = /(?:^|:)(?:group|channel)(?::|$)/;

/** True: several people talk there. */
export function isOfSeveral(owner: string): boolean {
	return OF_SEVERAL.test(owner);
}

export function ownerOfKey(key: string): string {
	const rest = (OF_AGENT.exec(key)?.[1] ?? key).replace(RUN_OF_JOB, "$1").replace(HEARTBEAT, "$1");
	return rest.includes(":") ? rest : OPERATOR;
}
