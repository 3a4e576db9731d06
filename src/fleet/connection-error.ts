/** Errors of a connection to a fleet's server, as sentences that say what to do. */
import { EngineError } from "../base/error/engine-error.ts";
import { type FleetAddress, showAddress } from "../settings/fleet-address.ts";

/** Turns an error of the server or the network into a sentence that says what to do. Passes an EngineError unchanged. */
export function fleetError(error: unknown, address: FleetAddress): EngineError {
	if (error instanceof EngineError) return error;
	const { code = "", message = "" } = (error ?? {}) as { readonly code?: string; readonly message?: string };
	const where = showAddress(address);
	const made = (kind: EngineError["code"], says: string) => new EngineError(kind, says, { cause: error });
	switch (code) {
		case "WF001":
		case "WF002":
			return made("refused", `The fleet's server refused what was shipped: ${message}.`);
		case "WF003":
			return made(
				"refused",
				`The fleet's server refused what was shipped: ${message}, and only the role that began a log adds to it. Use that role, or 'weft sync --apart', which ships what is new as a log of its own.`,
			);
		case "WF004":
			return made("deleted", `The fleet's server refused what was shipped: ${message}.`);
		case "WF005":
			return made(
				"refused",
				`${message} of ${where}. 'weft fleet member ROLE --team TEAM --owner', run by the owner of the database, makes one.`,
			);
		case "55P03":
			return made("locked", "Another machine is shipping to the fleet's server and does not finish. Try again.");
		case "3D000":
			return made("not-found", `${message} on the fleet's server. Check fleet.url ${where}.`);
		case "25006":
			return made("read-only", `The fleet's server ${where} is read-only now. weft tries again later.`);
		case "53100":
		case "53200":
			return made("disk-full", `The fleet's server ${where} is full (${message}). weft tries again later.`);
		case "28P01":
		case "28000":
			return made(
				"refused",
				`The fleet's server ${where} refuses the login: ${message}. Check fleet.url and ~/.pgpass.`,
			);
		case "42501":
			return made(
				"refused",
				`The fleet's server ${where} does not allow this to the role: ${message}. The owner of the database gives the rights with 'weft fleet member ROLE --team TEAM', and alone may run 'weft fleet migrate' and 'member'.`,
			);
		case "3F000":
		case "42P01":
		case "42883":
		case "42703":
			return made(
				"unknown-format",
				`The fleet's server ${where} has no tables of weft, or older ones. Its owner runs 'weft fleet migrate'.`,
			);
	}
	if (/^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ERR_SSL)/.test(code)) {
		return made(
			"refused",
			`The certificate of the fleet's server ${where} is not trusted (${code}). Nothing was sent.`,
		);
	}
	if (/client password must be a string/.test(message)) {
		return made(
			"refused",
			`The fleet's server ${where} asks for a password, and none was found. Add a line to ~/.pgpass: HOST:PORT:DATABASE:ROLE:PASSWORD.`,
		);
	}
	// A code of five characters is the server's own, so it answers. Classes 08 and 57 are about the connection.
	if (/^(?!08|57)[0-9A-Z]{5}$/.test(code) && code !== "EPIPE") {
		return made("refused", `The fleet's server ${where} does not take it: ${message} (${code}).`);
	}
	const reason = code === "" || message.includes(code) ? message || "no answer" : `${message || "no answer"} (${code})`;
	return made("io-error", `The fleet's server ${where} cannot be reached or does not answer: ${reason}.`);
}
