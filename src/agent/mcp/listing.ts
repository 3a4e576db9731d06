/**
 * Everything that the server lists: constant, and answered before anything is opened. Codex asks its first request without the
 * tools of a server that is late, and breaks the provider's cache twice when they arrive and leave again.
 */
import { MCP_INSTRUCTIONS, TOOLS } from "../../tool/catalogue.ts";

/** Newest first. */
const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

/** Claude Code passes on results of this size; others cut them at less. */
const MAX_RESULT_CHARS = 100_000;

/** `asked`: the version of the protocol that the agent speaks; one that weft does not know is answered with the newest. */
export function initializeResult(version: string, asked: unknown): object {
	return {
		protocolVersion: PROTOCOL_VERSIONS.find((known) => known === asked) ?? PROTOCOL_VERSIONS[0],
		capabilities: { tools: {}, resources: {}, prompts: {} },
		serverInfo: { name: "weft", title: "weft", version },
		instructions: MCP_INSTRUCTIONS,
	};
}

export const LISTED_TOOLS = TOOLS.map(({ name, label, description, parameters, writes = false }) => ({
	name,
	title: label,
	description,
	inputSchema: parameters,
	annotations: { readOnlyHint: !writes, destructiveHint: false, idempotentHint: true, openWorldHint: false },
	_meta: { "anthropic/maxResultSizeChars": MAX_RESULT_CHARS, "anthropic/alwaysLoad": true },
}));

export const RESOURCES = [
	{ uri: "weft://state", name: "state", title: "What is true now: files, failures, decisions, intent" },
	{ uri: "weft://requests", name: "requests", title: "The requests of the session, the newest last" },
	{ uri: "weft://nodes", name: "nodes", title: "The summaries of the session's history" },
].map((resource) => ({ ...resource, mimeType: "text/plain" }));

export const RESOURCE_TEMPLATES = [
	{ uriTemplate: "weft://request/{n}", name: "request", title: "One request as it was sent, by its number" },
	{ uriTemplate: "weft://node/{id}", name: "node", title: "One summary by its id (s-…), and what it was made from" },
	{ uriTemplate: "weft://file/{+path}", name: "file", title: "What happened to a file, by its path in the project" },
].map((template) => ({ ...template, mimeType: "text/plain" }));

export const PROMPTS = [
	{ name: "status", title: "How weft stands", description: "What weft has recorded of this session and what it does" },
	{
		name: "recap",
		title: "What was done so far",
		description: "The state of the work and the summaries of the session, for the model to go on from",
		arguments: [{ name: "about", description: "What to look at most", required: false }],
	},
];
