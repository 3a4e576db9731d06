/** The provider's address, and connections to it that are kept for the next request. */
import type { Agent, ClientRequest } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import { EngineError } from "../../base/error/engine-error.ts";
import { http, https } from "../../base/net/http.ts";

/** Providers take more than Node does by default. */
export const MAX_HEADER_BYTES = 256 * 1024;

export class Upstream {
	/** For the `host` header. */
	readonly host: string;
	readonly #isSecure: boolean;
	readonly #hostname: string;
	readonly #port: number | undefined;
	/** Goes before the path of each request. */
	readonly #prefix: string;
	readonly #agent: Agent | SecureAgent;

	constructor(address: string, env: NodeJS.ProcessEnv | undefined) {
		const { protocol, hostname, port, pathname, host } = parseUpstream(address);
		this.host = host;
		this.#isSecure = protocol === "https:";
		this.#hostname = hostname.replace(/^\[|\]$/g, "");
		this.#port = port === "" ? undefined : Number(port);
		this.#prefix = pathname.replace(/\/$/, "");
		// `proxyEnv` makes HTTPS_PROXY and NO_PROXY count, in versions of Node that know it.
		const options = { keepAlive: true, proxyEnv: env };
		this.#agent = this.#isSecure ? new https.Agent(options) : new http.Agent(options);
	}

	ask(method: string, path: string, headers: readonly string[]): ClientRequest {
		const given = {
			method,
			hostname: this.#hostname,
			port: this.#port,
			path: `${this.#prefix}${path}`,
			headers,
			agent: this.#agent,
			maxHeaderSize: MAX_HEADER_BYTES,
		};
		return this.#isSecure ? https.request(given) : http.request(given);
	}

	close(): void {
		this.#agent.destroy();
	}
}

function parseUpstream(text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url?.protocol === "http:" || url?.protocol === "https:") return url;
	throw new EngineError("usage", `'${text}' is not an address. Give one like https://api.anthropic.com.`);
}
