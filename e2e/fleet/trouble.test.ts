/** A server that does not take everything, a pooler in between, and the files that libpq reads. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connectFleet } from "../../src/fleet/connection.ts";
import { followFleet } from "../../src/fleet/follow.ts";
import { forgetInFleet } from "../../src/fleet/removal.ts";
import { streamName } from "../../src/fleet/stream.ts";
import { readAddress } from "../../src/settings/fleet-address.ts";
import { checkChains } from "./chains.ts";
import { Machine } from "./machine.ts";
import { asPostgres, freePort, TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
const POOLER = process.env["WEFT_TEST_POOLER"] ?? "/usr/sbin/pgbouncer";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
	await server.fleet("shared", { ann: "red", lead: "!red" });
});
after(() => server.stop());

test("a server that is read-only or full is said to be so, and shipping goes on where it stopped", async () => {
	await using admin = await server.connect("postgres", "shared");
	using machine = new Machine("patient");
	for (let n = 0; n < 6; n++) machine.say("s-patient", `e${n}`, "one after the other");
	const ship = async () => {
		await using ann = await server.connect("ann", "shared");
		return (await machine.ship(ann, PROJECT, { bounds: { events: 4 } })).events;
	};
	await admin.query("ALTER DATABASE shared SET default_transaction_read_only = on");
	await assert.rejects(ship(), { code: "read-only", message: /is read-only now\. weft tries again later/ });
	await admin.query(
		"SET default_transaction_read_only = off; ALTER DATABASE shared RESET default_transaction_read_only",
	);
	await admin.query(`CREATE FUNCTION public.full_disk() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
		CREATE TRIGGER full_disk AFTER INSERT ON weft.event FOR EACH ROW WHEN (NEW.n > 6) EXECUTE FUNCTION public.full_disk()`);
	await assert.rejects(ship(), { code: "disk-full", message: /is full \(could not extend file/ });
	assert.equal((await admin.query("SELECT 1 FROM weft.event")).rowCount, 4);
	await admin.query("DROP TRIGGER full_disk ON weft.event");
	assert.equal(await ship(), 8);
	assert.deepEqual(await checkChains(admin), []);
});

test("a server whose disk is really full is said to be so, loses nothing, and takes the rest when there is room", {
	skip: process.getuid?.() === 0 ? false : "mounting a small disk needs root",
}, async (t) => {
	const disk = join(server.folder, "disk");
	mkdirSync(disk);
	try {
		const owner = execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }).trim();
		execFileSync("mount", ["-t", "tmpfs", "-o", `size=4m,uid=${owner}`, "tmpfs", disk], { stdio: "ignore" });
	} catch {
		t.skip("no file system can be mounted here");
		return;
	}
	try {
		await using admin = await server.connect();
		await admin.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
		await server.fleet("small", { ann: "red" });
		await using owner = await server.connect("postgres", "small");
		const parts = Array.from({ length: 8 }, (_, part) => `ALTER TABLE weft.event_${part} SET TABLESPACE small`);
		await owner.query(parts.join("; "));
		using machine = new Machine("filling");
		for (let n = 0; n < 24; n++) {
			const data = randomBytes(200_000).toString("base64");
			machine.log.append([{ type: "Custom", session: "s", host: "pi", ts: n, payload: { name: "n", data } }]);
		}
		const ship = async () => {
			await using ann = await server.connect("ann", "small");
			return await machine.ship(ann, PROJECT, { ...machine.exact(), bounds: { events: 2 } });
		};
		await assert.rejects(ship(), { code: "disk-full", message: /is full \(.*No space left on device/ });
		const arrived = (await owner.query("SELECT 1 FROM weft.event")).rowCount ?? 0;
		assert.ok(arrived > 0 && arrived < 24, String(arrived));
		assert.deepEqual(await checkChains(owner), []);
		execFileSync("mount", ["-o", "remount,size=100m", disk], { stdio: "ignore" });
		assert.equal((await ship()).events, 24 - arrived);
		assert.deepEqual(await checkChains(owner), []);
		await owner.close();
		await admin.query("DROP DATABASE small WITH (FORCE)");
		await admin.query("DROP TABLESPACE small");
	} finally {
		execFileSync("umount", ["-l", disk], { stdio: "ignore" });
	}
});

test("behind a pooler that lends connections by transaction everything works, and following says that it asks", {
	skip: existsSync(POOLER) ? false : "pgbouncer is not installed",
}, async () => {
	const { pooler, port } = await startPooler("transaction");
	try {
		const connect = (role: string) => connectFleet(readAddress(server.url(role, "shared", port), {}));
		await using one = await connect("ann");
		await using other = await connect("ann");
		await using lead = await connect("lead");
		using machine = new Machine("pooled");
		const blob = machine.log.putBlob(Buffer.from("pooled bytes"));
		for (let n = 0; n < 30; n++) machine.say("s-pooled", `e${n}`, "through the pooler");
		machine.log.append([{ type: "Custom", session: "s-pooled", host: "pi", ts: 1, payload: { name: "n", blob } }]);
		const ships = [one, other].map((by) => machine.ship(by, PROJECT, { bounds: { events: 3 } }));
		const shipped = await Promise.all(ships);
		assert.equal(
			shipped.reduce((sum, { events }) => sum + events, 0),
			61,
		);
		assert.deepEqual(await checkChains(one), []);
		const told: string[] = [];
		const ending = new AbortController();
		const options = { signal: ending.signal, notify: (line: string) => told.push(line), askEveryMs: 50 };
		const following = followFleet(other, { project: PROJECT, types: ["Message"], limit: 1 }, options);
		assert.equal((await following.next()).value?.length, 1);
		machine.say("s-pooled", "later", "news");
		const next = following.next();
		await machine.ship(one, PROJECT);
		assert.equal((await next).value?.[0]?.entry, "later");
		ending.abort();
		await following.return(undefined);
		assert.match(told.join(), /asks it every/);
		assert.equal(await forgetInFleet(lead, "s-pooled", [streamName(machine.log)]), 63);
	} finally {
		pooler.kill();
	}
});

for (const mode of ["session", "statement"] as const) {
	test(`behind a pooler that lends connections by ${mode} events arrive, are read and forgotten`, {
		skip: existsSync(POOLER) ? false : "pgbouncer is not installed",
	}, async () => {
		const { pooler, port } = await startPooler(mode);
		try {
			const connect = (role: string) => connectFleet(readAddress(server.url(role, "shared", port), {}));
			await using ann = await connect("ann");
			await using lead = await connect("lead");
			using machine = new Machine(`pooled-${mode}`);
			for (let n = 0; n < 30; n++) machine.say(`s-${mode}`, `e${n}`, "through the pooler");
			assert.equal((await machine.ship(ann, PROJECT, { bounds: { events: 7 } })).events, 60);
			assert.deepEqual(await checkChains(ann), []);
			assert.equal(await forgetInFleet(lead, `s-${mode}`, [streamName(machine.log)]), 60);
		} finally {
			pooler.kill();
		}
	});
}

/** It resets a connection after each transaction: otherwise a notification comes through by chance. */
async function startPooler(
	mode: "session" | "transaction" | "statement",
): Promise<{ readonly pooler: ChildProcess; readonly port: number }> {
	const port = await freePort();
	const [settings, users] = [join(server.folder, "pgbouncer.ini"), join(server.folder, "users.txt")];
	writeFileSync(users, '"ann" ""\n"lead" ""\n');
	writeFileSync(
		settings,
		`[databases]\nshared = host=127.0.0.1 port=${server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
unix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\ndefault_pool_size = 3
server_reset_query = DISCARD ALL\nserver_reset_query_always = 1\n`,
	);
	const [file, args] = asPostgres(POOLER, [settings]);
	const pooler = spawn(file, args, { stdio: "ignore" });
	while (!(await isListening(port))) await sleep(50);
	return { pooler, port };
}

function isListening(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connectSocket(port, "127.0.0.1", () => {
			socket.destroy();
			resolve(true);
		});
		socket.on("error", () => resolve(false));
	});
}

test("a service file names the server and .pgpass has the password, which the server asks for", async () => {
	await using admin = await server.connect();
	await admin.query("CREATE ROLE sam LOGIN PASSWORD 's3cret: x'");
	const rules = join(server.data, "pg_hba.conf");
	writeFileSync(rules, "host all sam 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
	await admin.query("SELECT pg_reload_conf()");
	await sleep(200);
	const env = { HOME: server.folder };
	writeFileSync(
		join(server.folder, ".pg_service.conf"),
		`[team]\nhost=127.0.0.1\nport=${server.port}\ndbname=postgres\nuser=sam\n`,
	);
	const warnings: string[] = [];
	const listen = (warning: Error) => warnings.push(warning.message);
	process.on("warning", listen);
	await assert.rejects(
		connectFleet(readAddress("service=team", env)),
		/asks for a password, and none was found.*pgpass/,
	);
	const pass = join(server.folder, ".pgpass");
	writeFileSync(pass, `127.0.0.1:${server.port}:*:sam:s3cret\\: x\n`);
	chmodSync(pass, 0o600);
	await using sam = await connectFleet(readAddress("service=team", env));
	assert.deepEqual((await sam.query("SELECT current_user::text AS who")).rows, [{ who: "sam" }]);
	await assert.rejects(
		connectFleet(readAddress(`postgres://nobody@127.0.0.1:${server.port}/none`, env)),
		/none|nobody/,
	);
	process.off("warning", listen);
	assert.deepEqual(warnings, []);
});
