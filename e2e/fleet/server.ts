/** A real PostgreSQL on loopback, in a folder of its own, that tests start, stop hard and start again. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectFleet, type FleetConnection } from "../../src/fleet/connection.ts";
import { addMember, migrateFleet } from "../../src/fleet/migrate.ts";
import { readAddress } from "../../src/settings/fleet-address.ts";

export class TestServer {
	readonly folder: string;
	readonly port: number;
	#guard: ChildProcess | undefined;

	private constructor(folder: string, port: number) {
		this.folder = folder;
		this.port = port;
	}

	static async start(options: readonly string[] = []): Promise<TestServer> {
		const folder = mkdtempSync(join(tmpdir(), "weft-pg-"));
		chmodSync(folder, 0o777);
		const server = new TestServer(folder, await freePort());
		server.#guard = watchParent(folder);
		server.#run("initdb", ["-D", server.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "-N"]);
		server.startAgain(options);
		return server;
	}

	get data(): string {
		return join(this.folder, "data");
	}

	startAgain(options: readonly string[] = []): void {
		const flags = [`-p ${this.port}`, "-c listen_addresses=127.0.0.1", `-k ${this.folder}`, "-c fsync=on", ...options];
		this.#run("pg_ctl", ["-D", this.data, "-w", "-l", join(this.folder, "log"), "-o", flags.join(" "), "start"]);
	}

	/** As if the power went. */
	kill(): void {
		this.#run("pg_ctl", ["-D", this.data, "-m", "immediate", "-w", "stop"]);
	}

	stop(): void {
		try {
			this.#run("pg_ctl", ["-D", this.data, "-m", "fast", "-w", "stop"]);
		} catch {
			// It is down already.
		}
		this.#guard?.kill();
		rmSync(this.folder, { recursive: true, force: true });
	}

	url(role: string, database = "postgres", port = this.port): string {
		return `postgres://${role}@127.0.0.1:${port}/${database}`;
	}

	connect(role = "postgres", database = "postgres"): Promise<FleetConnection> {
		return connectFleet(readAddress(this.url(role, database), {}));
	}

	/** A database with the tables of a fleet, and login roles in teams: `ann: "red"`; an owner is written `!red`. */
	async fleet(database: string, members: Readonly<Record<string, string>>): Promise<void> {
		await using admin = await this.connect();
		await admin.query(`CREATE DATABASE ${database}`);
		await using owner = await this.connect("postgres", database);
		await migrateFleet(owner);
		for (const [role, team] of Object.entries(members)) {
			const known = await admin.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
			if (known.rowCount === 0) await admin.query(`CREATE ROLE ${role} LOGIN`);
			await addMember(owner, { role, team: team.replace("!", ""), isOwner: team.startsWith("!") });
		}
	}

	dump(database: string): string {
		return this.#run("pg_dump", ["-h", "127.0.0.1", "-p", String(this.port), "-U", "postgres", database]);
	}

	#run(program: string, args: readonly string[]): string {
		return runPostgres(program, args);
	}
}

/** Stops the server and takes its folder away when this process is gone without having done it, as after kill -9. */
function watchParent(folder: string): ChildProcess {
	const data = join(folder, "data");
	const script = `while kill -0 "$1" 2>/dev/null; do sleep 1; done
		test -f "$2/postmaster.pid" && kill -QUIT "$(head -n 1 "$2/postmaster.pid")"
		sleep 1; rm -rf "$3"`;
	const guard = spawn("sh", ["-c", script, "sh", String(process.pid), data, folder], {
		detached: true,
		stdio: "ignore",
	});
	guard.unref();
	return guard;
}

/** PostgreSQL and its poolers refuse to run as root. */
export function asPostgres(path: string, args: readonly string[]): readonly [file: string, args: string[]] {
	const isRoot = process.getuid?.() === 0;
	return isRoot ? ["runuser", ["-u", "postgres", "--", path, ...args]] : [path, [...args]];
}

function runPostgres(program: string, args: readonly string[]): string {
	const [file, list] = asPostgres(join(binaries(), program), args);
	// The server must not hold our pipes open.
	if (program === "pg_ctl") {
		const { status } = spawnSync(file, list, { stdio: "ignore", cwd: tmpdir() });
		if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}`);
		return "";
	}
	return execFileSync(file, list, {
		encoding: "utf8",
		cwd: tmpdir(),
		maxBuffer: 1 << 30,
		stdio: ["ignore", "pipe", "pipe"],
	});
}

function binaries(): string {
	const base = "/usr/lib/postgresql";
	const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
	const found = [process.env["WEFT_TEST_PG"] ?? "", ...versions.map((version) => join(base, version, "bin"))].find(
		(folder) => folder !== "" && existsSync(join(folder, "initdb")),
	);
	if (found === undefined)
		throw new Error("No PostgreSQL was found. Install Debian's postgresql, or set WEFT_TEST_PG.");
	return found;
}

export async function freePort(): Promise<number> {
	const server = createServer();
	const { promise, resolve } = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", resolve);
	await promise;
	const { port } = server.address() as { port: number };
	server.close();
	return port;
}
