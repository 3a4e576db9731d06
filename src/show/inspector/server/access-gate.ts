/**
 * Who may ask: only a page that this launch gave its token to, on this machine, under the name that we listen on. The token
 * comes once with the address, is exchanged for a cookie and is then gone from the address: it stands in no history entry of
 * ours, no log and no referrer.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export type Admission =
	| { readonly kind: "in" }
	/** The token came with the address: set the cookie and go on without it. */
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
		// A foreign name that resolves to this machine would make us its own origin.
		if (!names.includes(headers.host ?? "")) return refused(403, "This server answers to 127.0.0.1 only.");
		const { origin } = headers;
		if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) {
			return refused(403, "This server answers to its own pages only.");
		}
		const site = headers["sec-fetch-site"];
		if (site === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
			return refused(403, "This server answers to its own pages only.");
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
		if (this.#brings(headers)) return { kind: "in" };
		return refused(401, "This address needs the token of its launch. Open the address that 'weft inspect' printed.");
	}

	get #cookie(): string {
		return `weft-${this.#port}`;
	}

	#brings({ cookie, authorization }: IncomingHttpHeaders): boolean {
		if (authorization !== undefined) return isSame(authorization, `Bearer ${this.token}`);
		const pairs = (cookie ?? "").split(/;\s*/);
		return pairs.some((pair) => isSame(pair, `${this.#cookie}=${this.token}`));
	}
}

function refused(status: 400 | 401 | 403, why: string): Admission {
	return { kind: "refused", status, why };
}

/** In constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
