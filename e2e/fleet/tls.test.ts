import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { connectFleet } from "../../src/fleet/connection.ts";
import { readAddress } from "../../src/settings/fleet-address.ts";
import { TestServer } from "./server.ts";

/** A certificate that signs itself. */
function certificate(folder: string, name: string, host: string): { readonly key: string; readonly file: string } {
	const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
	const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
	execFileSync(
		"openssl",
		["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", file, ...subject],
		{
			stdio: "ignore",
		},
	);
	return { key, file };
}

test("a server whose certificate is not the trusted one, or is for another name, is refused before anything is sent", async () => {
	const folder = mkdtempSync(join(tmpdir(), "weft-tls-"));
	chmodSync(folder, 0o755);
	const own = certificate(folder, "own", "localhost");
	const other = certificate(folder, "other", "localhost");
	const wrongName = certificate(folder, "name", "db.example");
	for (const { key } of [own, wrongName]) {
		chmodSync(key, 0o600);
		if (process.getuid?.() === 0) chownSync(key, Number(execFileSync("id", ["-u", "postgres"])), 0);
	}
	const flags = ({ key, file }: typeof own) => ["-c ssl=on", `-c ssl_cert_file=${file}`, `-c ssl_key_file=${key}`];
	const server = await TestServer.start(flags(own));
	const to = (more: string) =>
		connectFleet(readAddress(`postgres://postgres@localhost:${server.port}/postgres?${more}`, {}));
	try {
		await using trusted = await to(`sslmode=verify-full&sslrootcert=${own.file}`);
		const { rows } = await trusted.query<{ ssl: boolean }>("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
		assert.deepEqual(rows, [{ ssl: true }]);
		await assert.rejects(
			to(`sslmode=verify-full&sslrootcert=${other.file}`),
			/certificate .* is not trusted .*Nothing was sent/,
		);
		await assert.rejects(to("sslmode=verify-full"), /is not trusted/);
		await assert.rejects(to(`sslmode=verify-ca&sslrootcert=${other.file}`), /is not trusted/);
		await trusted.close();
		server.kill();
		server.startAgain(flags(wrongName));
		await assert.rejects(to(`sslmode=verify-full&sslrootcert=${wrongName.file}`), /is not trusted/);
		await using loose = await to(`sslmode=verify-ca&sslrootcert=${wrongName.file}`);
		assert.equal((await loose.query("SELECT 1")).rowCount, 1);
	} finally {
		server.stop();
		rmSync(folder, { recursive: true, force: true });
	}
});

/** Of a server that is not one: what it says first, to the wish for TLS or to a start without it. */
const asksForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
const FALSE_ANSWERS: Readonly<Record<string, readonly Buffer[]>> = {
	"no TLS": [Buffer.from("N"), asksForPassword],
	"a question in place of TLS": [asksForPassword],
	"TLS, with a question before it": [Buffer.concat([Buffer.from("S"), asksForPassword])],
	"TLS, but none": [Buffer.from("S"), asksForPassword],
	"TLS, and a megabyte of nothing": [Buffer.from("S"), Buffer.alloc(1_000_000)],
	"an error with escape sequences": [Buffer.from("E\0\0\0\u0010SFATAL\0M\u001b[2J\0\0")],
	nothing: [],
};

test("a false server in its place gets no password, with TLS and without", async () => {
	for (const mode of ["sslmode=verify-full", "sslmode=require", ""]) {
		for (const [how, answers] of Object.entries(FALSE_ANSWERS)) {
			const got: Buffer[] = [];
			const server = createServer((socket: Socket) => {
				const left = [...answers];
				socket.on("error", () => {});
				socket.on("data", (bytes) => {
					got.push(bytes);
					const next = left.shift();
					if (next) socket.write(next);
					else socket.end();
				});
			});
			server.listen(0, "127.0.0.1");
			await once(server, "listening");
			const { port } = server.address() as AddressInfo;
			try {
				const address = readAddress(`postgres://ann:hunter2@127.0.0.1:${port}/fleet?${mode}`, {});
				const failed = await connectFleet(address, { connectMs: 1_500 }).then(
					() => assert.fail(how),
					(error: unknown) => error,
				);
				assert.ok(failed instanceof EngineError, `${mode} ${how}: ${String(failed)}`);
				assert.equal(Buffer.concat(got).includes("hunter2"), false, `${mode} ${how}`);
			} finally {
				server.close();
			}
		}
	}
});
