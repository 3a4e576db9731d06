/**
 * The address of a fleet's server: `postgres://…`, or `service=NAME` of libpq's own files. The password may be in the address
 * of an environment variable, in the service file, in weft's own file of passwords or in ~/.pgpass. Connections to another
 * machine use TLS with a checked certificate for that name; any other mode is refused.
 */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { sha256 } from "../base/hash/sha256.ts";

export interface FleetAddress {
	readonly host: string;
	readonly port: number;
	readonly database: string;
	readonly user: string | undefined;
	readonly password: string | undefined;
	readonly tls: "none" | "unchecked" | "chain" | "full";
	/** Path of a file with the certificates to trust, in place of the system's. */
	readonly rootCertificate: string | undefined;
}

const SERVICE = /^service=(\S+)$/;

export function readAddress(url: string, env: NodeJS.ProcessEnv): FleetAddress {
	const service = SERVICE.exec(url)?.[1];
	const fields = service === undefined ? fromUrl(url, env) : fromService(service, env);
	const host = fields.get("host") || env["PGHOST"] || "localhost";
	const user = fields.get("user") || env["PGUSER"] || undefined;
	const port = Number(fields.get("port") || env["PGPORT"] || 5432);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badUrl("its port is not a number");
	const rootCertificate = fields.get("sslrootcert") || env["PGSSLROOTCERT"] || undefined;
	const database = fields.get("dbname") || env["PGDATABASE"] || user || "postgres";
	return {
		host,
		port,
		database,
		user,
		password: fields.get("password") || env["PGPASSWORD"] || passwordFor({ host, port, database, user }, env),
		// Naming a certificate means checking it.
		tls: tlsOf(fields.get("sslmode") || env["PGSSLMODE"] || (rootCertificate && "verify-full"), host),
		rootCertificate,
	};
}

/** For people: without the password. */
export function showAddress({ host, port, database, user }: FleetAddress): string {
	return `${user === undefined ? "" : `${user}@`}${host}:${port}/${database}`;
}

const HIDDEN = "•••";

/** For people: an address as a setting holds it, without its password. */
export function hidePassword(url: string): string {
	if (!URL.canParse(url)) return url.replace(/^([a-z]+:\/\/)?.*@/i, `$1${HIDDEN}@`);
	const split = splitPassword(url);
	if (split.password === undefined) return url;
	return split.url.replace(/^([a-z]+:\/\/)(?:([^@/]*)@)?/i, `$1$2:${HIDDEN}@`);
}

/** An address without its password, and the password. */
export function splitPassword(url: string): { readonly url: string; readonly password: string | undefined } {
	if (!URL.canParse(url)) return { url, password: undefined };
	const parsed = new URL(url);
	const given = parsed.searchParams.get("password");
	const password = parsed.password || given || undefined;
	if (password === undefined) return { url, password };
	parsed.password = "";
	if (given !== null) parsed.searchParams.delete("password");
	return { url: parsed.href, password: password === given ? given : lenientDecode(password) };
}

/** weft's own file of passwords, in the form of ~/.pgpass, beside the user's settings. */
export function passwordFile(env: NodeJS.ProcessEnv): string {
	const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
	return join(folder, "weft", "fleet.pgpass");
}

/** The line of a password file for an address. */
export function passwordLine({ host, port, database, user }: FleetAddress, password: string): string {
	return [host, String(port), database, user ?? "*", password]
		.map((field) => field.replace(/[:\\]/g, "\\$&"))
		.join(":");
}

/** Identifies a server on this machine, for any role. */
export function targetKey({ host, port, database }: FleetAddress): string {
	return sha256(JSON.stringify([host, port, database])).slice(0, 12);
}

/** Parameters after the question mark. */
const PARAMETERS = new Set(["service", "host", "port", "dbname", "user", "password", "sslmode", "sslrootcert"]);

type AddressFields = Map<string, string>;

function fromUrl(url: string, env: NodeJS.ProcessEnv): AddressFields {
	let parsed: URL;
	try {
		parsed = new URL(url);
	} catch {
		throw badUrl("it is neither postgres://ROLE@HOST:PORT/DATABASE nor service=NAME, or its port is too high");
	}
	if (!/^postgres(?:ql)?:$/.test(parsed.protocol)) throw badUrl("it must begin with postgres://");
	const given = new Map(parsed.searchParams);
	const unknown = [...given.keys()].find((name) => !PARAMETERS.has(name));
	if (unknown !== undefined) throw badUrl(`?${unknown}= is unknown; use ${[...PARAMETERS].join(", ")}`);
	const service = given.get("service");
	const fields: AddressFields = new Map([...(service === undefined ? [] : fromService(service, env)), ...given]);
	const parts = { host: parsed.hostname, port: parsed.port, user: parsed.username, password: parsed.password };
	for (const [name, value] of Object.entries({ ...parts, dbname: parsed.pathname.slice(1) })) {
		if (value !== "") fields.set(name, decode(value).replace(/^\[(.+)\]$/, "$1"));
	}
	return fields;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		throw badUrl("a % in it does not begin an escape");
	}
}

function lenientDecode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** `[name]` and lines of `key=value`, in the user's file, else in the system's. */
function fromService(name: string, env: NodeJS.ProcessEnv): AddressFields {
	const files = [
		env["PGSERVICEFILE"] || join(env["HOME"] || homedir(), ".pg_service.conf"),
		join(env["PGSYSCONFDIR"] || "/etc/postgresql-common", "pg_service.conf"),
	];
	for (const file of files) {
		const found = sectionOf(file, name);
		if (found) return found;
	}
	throw new EngineError("bad-config", `fleet.url names the service '${name}', which is not in ${files.join(" or ")}.`);
}

function sectionOf(file: string, name: string): AddressFields | undefined {
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
	let fields: AddressFields | undefined;
	for (const line of text.split(/\r?\n/)) {
		const head = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
		if (head !== undefined && fields) return fields;
		if (head === name) fields = new Map();
		const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
		if (fields && key !== undefined) fields.set(key, value ?? "");
	}
	return fields;
}

function tlsOf(mode: string | undefined, host: string): FleetAddress["tls"] {
	if (!isHere(host) && mode !== undefined && mode !== "verify-full" && KNOWN_MODES.has(mode)) {
		throw badUrl(
			`sslmode=${mode} does not check that ${host} is the server it says it is. weft talks to another machine with verify-full only; name a certificate of your own with sslrootcert=FILE, or reach the server through a tunnel on 127.0.0.1`,
		);
	}
	switch (mode) {
		case "disable":
			return "none";
		case "require":
		case "no-verify":
			return "unchecked";
		case "verify-ca":
			return "chain";
		case "verify-full":
			return "full";
		case undefined:
			return isHere(host) ? "none" : "full";
		default:
			throw badUrl(`sslmode=${mode} is unknown; use disable, require, verify-ca or verify-full`);
	}
}

const KNOWN_MODES = new Set(["disable", "allow", "prefer", "require", "no-verify", "verify-ca"]);

function isHere(host: string): boolean {
	return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host) || host.startsWith("/");
}

function badUrl(why: string): EngineError {
	return new EngineError("bad-config", `fleet.url cannot be used: ${why}.`);
}

interface PasswordQuery {
	readonly host: string;
	readonly port: number;
	readonly database: string;
	readonly user: string | undefined;
}

/**
 * Reads a role's password from weft's own file, else from libpq's: `host:port:database:role:password`. Like libpq, ignores a
 * file that others can read.
 */
function passwordFor({ host, port, database, user }: PasswordQuery, env: NodeJS.ProcessEnv): string | undefined {
	const files = [passwordFile(env), env["PGPASSFILE"] || join(env["HOME"] || homedir(), ".pgpass")];
	const own = [host.startsWith("/") ? "localhost" : host, String(port), database, user ?? ""];
	for (const line of files.flatMap((path) => readPrivate(path)?.split(/\r?\n/) ?? [])) {
		if (line.startsWith("#")) continue;
		// A colon or a backslash in a field has a backslash before it.
		const fields = line.match(/(?:\\.|[^:\\])+/g)?.map((field) => field.replace(/\\(.)/g, "$1")) ?? [];
		const password = fields.slice(4).join(":");
		if (password !== "" && own.every((value, at) => fields[at] === "*" || fields[at] === value)) return password;
	}
	return undefined;
}

function readPrivate(path: string): string | undefined {
	try {
		const { mode } = statSync(path);
		if (process.platform !== "win32" && (mode & 0o077) !== 0) return undefined;
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}
