/**
 * A connection to a fleet's server. Only this file loads the driver, and only to connect: no other command pays for it. The
 * driver is an optional peer that may be missing, so the part that is used is described here.
 */
import { readFileSync } from "node:fs";
import { EngineError } from "../base/error/engine-error.ts";
import { type FleetAddress, showAddress } from "../settings/fleet-address.ts";

interface Rows<Row> {
	readonly rows: readonly Row[];
	readonly rowCount: number | null;
}

export interface FleetConnection {
	query<Row>(sql: string, values?: readonly unknown[]): Promise<Rows<Row>>;
	on(event: "notification", listener: () => void): void;
	/** Called when the connection breaks. */
	onLost(listener: (error: Error) => void): void;
	close(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}

interface PgClient {
	/** What the server asks for while it lets somebody in. */
	readonly connection: {
		readonly stream: { destroy(error: Error): void };
		once(event: "authenticationCleartextPassword", listener: () => void): void;
	};
	connect(): Promise<void>;
	query(...args: readonly unknown[]): unknown;
	on(event: string, listener: (...args: never[]) => void): void;
	end(): Promise<void>;
}

type Driver = new (config: object) => PgClient;

const MAX_CONNECT_MS = 10_000;
const MAX_STATEMENT_MS = 120_000;
/** For what another transaction holds. */
const MAX_LOCK_MS = 10_000;
const MAX_END_MS = 2_000;
const SAY_WAITING_AFTER_MS = 3_000;

interface ConnectOptions {
	readonly connectMs?: number | undefined;
	readonly statementMs?: number | undefined;
	/** Called with a sentence when a statement has waited for a while. */
	readonly onWait?: ((sentence: string) => void) | undefined;
}

/** Rejects with an EngineError. */
export async function connectFleet(address: FleetAddress, options: ConnectOptions = {}): Promise<FleetConnection> {
	const Client = await loadDriver();
	const statementMs = options.statementMs ?? MAX_STATEMENT_MS;
	const client = new Client({
		host: address.host,
		port: address.port,
		database: address.database,
		user: address.user,
		password: address.password,
		ssl: tlsOptions(address),
		connectionTimeoutMillis: options.connectMs ?? MAX_CONNECT_MS,
		// The driver's limit, for a server that stops answering. The server's own limit is set below.
		query_timeout: statementMs + MAX_END_MS,
		application_name: "weft",
		keepAlive: true,
	});
	const lost: ((error: Error) => void)[] = [];
	// Without a listener a broken connection would crash the process.
	client.on("error", (error: Error) => {
		for (const listener of lost) listener(error);
	});
	if (address.tls === "none") refuseClearPassword(client, address);
	try {
		await client.connect();
		await client.query(
			`SET statement_timeout = ${Math.floor(statementMs)}; SET lock_timeout = ${Math.floor(Math.min(statementMs, MAX_LOCK_MS))};
			SET search_path = pg_catalog, pg_temp`,
		);
	} catch (error) {
		void client.end().catch(() => {});
		throw fleetError(error, address);
	}
	const close = async () => {
		await Promise.race([client.end().catch(() => {}), new Promise((done) => setTimeout(done, MAX_END_MS).unref())]);
	};
	const sayWaiting = () =>
		options.onWait?.(
			`The fleet's server ${showAddress(address)} has not answered for ${SAY_WAITING_AFTER_MS / 1_000} s. weft waits up to ${Math.ceil(statementMs / 1_000)} s.`,
		);
	return {
		query: async <Row>(sql: string, values?: readonly unknown[]) => {
			const waiting = setTimeout(sayWaiting, SAY_WAITING_AFTER_MS).unref();
			try {
				return (await (client.query(sql, values) as Promise<unknown>)) as Rows<Row>;
			} catch (error) {
				throw fleetError(error, address);
			} finally {
				clearTimeout(waiting);
			}
		},
		on: (event, listener) => client.on(event, listener),
		onLost: (listener) => lost.push(listener),
		close,
		[Symbol.asyncDispose]: close,
	};
}

/** Another account may listen where the server was. */
function refuseClearPassword({ connection }: PgClient, address: FleetAddress): void {
	connection.once("authenticationCleartextPassword", () => {
		const why = `${showAddress(address)} asks for the password as it is, without TLS. It was not sent. Let the server use scram-sha-256, or connect with sslmode=verify-full.`;
		connection.stream.destroy(new EngineError("refused", why));
	});
}

async function loadDriver(): Promise<Driver> {
	// In a variable, so that the compiler does not look for an optional package.
	const name = "pg";
	try {
		const driver = (await import(name)) as { readonly default: { readonly Client: Driver } };
		return driver.default.Client;
	} catch (cause) {
		throw new EngineError(
			"not-shipped",
			"A fleet needs the PostgreSQL driver, which is not installed. Run: npm install -g pg",
			{ cause },
		);
	}
}

function tlsOptions({ tls, rootCertificate, host }: FleetAddress): object | false {
	if (tls === "none") return false;
	const ca = rootCertificate === undefined ? undefined : readCertificate(rootCertificate);
	return {
		ca,
		servername: host.startsWith("/") ? undefined : host,
		rejectUnauthorized: tls !== "unchecked",
		...(tls === "full" ? {} : { checkServerIdentity: () => undefined }),
	};
}

function readCertificate(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		throw new EngineError("bad-config", `${path}, named by sslrootcert, cannot be read.`, { cause });
	}
}

/** Turns an error of the server or the network into a sentence that says what to do. Passes an EngineError unchanged. */
function fleetError(error: unknown, address: FleetAddress): EngineError {
	if (error instanceof EngineError) return error;
	const { code = "", message = "" } = (error ?? {}) as { readonly code?: string; readonly message?: string };
	const where = showAddress(address);
	const made = (kind: EngineError["code"], says: string) => new EngineError(kind, says, { cause: error });
	switch (code) {
		case "WF001":
		case "WF002":
		case "WF006":
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
			return made(
				"locked",
				`Somebody holds what this waits for on the fleet's server ${where} and does not finish. Try again; the owner of the database can see in pg_stat_activity who it is.`,
			);
		case "57014":
			return made("locked", `The fleet's server ${where} did not finish in time (${message}). Try again.`);
		case "53300":
			return made("locked", `The fleet's server ${where} has no connection left (${message}). weft tries again later.`);
		case "3D000":
			return made("not-found", `${message} on the fleet's server. Check fleet.url ${where}.`);
		case "25006":
			return made("read-only", `The fleet's server ${where} is read-only now. weft tries again later.`);
		case "53200":
			if (message === "out of shared memory") {
				return made(
					"locked",
					`The fleet's server ${where} has no room for another lock: somebody holds too many. Its owner sees who in pg_locks and pg_stat_activity, and ends that session. weft tries again later.`,
				);
			}
			return made("disk-full", `The fleet's server ${where} has no memory left (${message}). weft tries again later.`);
		case "53100":
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
