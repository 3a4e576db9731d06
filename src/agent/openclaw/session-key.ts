/** `agent:main:…` names the agent main. */
export function agentOf(sessionKey: string | undefined): string | undefined {
	return /^agent:([^:]+):/.exec(sessionKey ?? "")?.[1];
}
