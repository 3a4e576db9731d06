import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
