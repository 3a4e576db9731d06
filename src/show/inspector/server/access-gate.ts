/**
 * Admits only requests that carry the token of this launch, from this machine and under a host name that we listen on. The
 * token arrives once in the address, is exchanged for a cookie and disappears from the address, so that no history entry,
 * log or referrer contains it.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export type Admission =
	| { readonly kind: "in" }
	/** The address had the token: set the cookie and redirect to the address without it. */
	| { readonly kind: "welcome"; readonly to: string; readonly cookie: string }
	| { readonly kind: "refused"; readonly status: 400 | 401 | 403; readonly why: string };

export class AccessGate {
	readonly token = randomBytes(24).toString("base64url");
	readonly #port: number;

	constructor(port: number) {
		this.#port = port;
	}

	admit(method: string, url: URL, headers: IncomingHttpHeaders): Admission {
		const names = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
		// A foreign name that resolves to this machine would share our origin (DNS rebinding).
		if (!names.includes(headers.host ?? "")) return refused(403, "This server answers only to 127.0.0.1.");
		const { origin } = headers;
		if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) {
			return refused(403, "This server answers only to its own pages.");
		}
		const site = headers["sec-fetch-site"];
		if (site === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
			return refused(403, "This server answers only to its own pages.");
		}
		const given = url.searchParams.get("token");
		if (given !== null && method === "GET" && isSame(given, this.token)) {
			url.searchParams.delete("token");
			return {
				kind: "welcome",
				to: url.pathname + url.search,
				cookie: `${this.#cookie}=${this.token}; Path=/; HttpOnly; SameSite=Strict`,
			};
		}
		if (this.#hasToken(headers)) return { kind: "in" };
		return refused(401, "The access token is missing. Open the address that 'weft inspect' printed.");
	}

	get #cookie(): string {
		return `weft-${this.#port}`;
	}

	#hasToken({ cookie, authorization }: IncomingHttpHeaders): boolean {
		if (authorization !== undefined) return isSame(authorization, `Bearer ${this.token}`);
		const pairs = (cookie ?? "").split(/;\s*/);
		return pairs.some((pair) => isSame(pair, `${this.#cookie}=${this.token}`));
	}
}

function refused(status: 400 | 401 | 403, why: string): Admission {
	return { kind: "refused", status, why };
}

/** Compares in constant time, for any lengths. */
function isSame(one: string, other: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
