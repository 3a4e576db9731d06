import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { hidePassword, readAddress, showAddress, targetKey } from "./fleet-address.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-address-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("an address is read whole, shown without its password, and another machine is spoken to over checked TLS", () => {
	const address = readAddress("postgresql://ann:p%40ss@db.example:6432/weft", {});
	assert.deepEqual(address, {
		host: "db.example",
		port: 6432,
		database: "weft",
		user: "ann",
		password: "p@ss",
		tls: "full",
		rootCertificate: undefined,
	});
	assert.equal(showAddress(address), "ann@db.example:6432/weft");
	assert.equal(targetKey(address), targetKey(readAddress("postgres://bob@db.example:6432/weft", {})));
	assert.deepEqual(
		[
			"postgres://localhost/x",
			"postgres://[::1]/x",
			"postgres://127.9.9.9/x?sslmode=require",
			"postgres://localhost/x?sslmode=verify-ca",
			"postgres://127.0.0.1.evil.example/x",
			"postgres://10.0.0.1/x?sslmode=verify-full",
		].map((url) => readAddress(url, {}).tls),
		["none", "none", "unchecked", "chain", "full", "full"],
	);
});

test("another machine is spoken to with verify-full or not at all, whoever chose the mode", () => {
	for (const mode of ["disable", "allow", "prefer", "require", "no-verify", "verify-ca"]) {
		const refused = { code: "bad-config", message: new RegExp(`sslmode=${mode} does not check .*verify-full only`) };
		assert.throws(() => readAddress(`postgres://db.example/x?sslmode=${mode}`, {}), refused);
		assert.throws(() => readAddress("postgres://db.example/x", { PGSSLMODE: mode }), refused);
	}
	assert.throws(() => readAddress("postgres://127.evil.example/x?sslmode=disable", {}), /verify-full only/);
});

test("an address is shown without its password, wherever the password is in it", () => {
	assert.deepEqual(
		[
			"postgres://ann:p%40s:s/@db.example:6432/weft",
			"postgres://ann:hunter2@db.example/weft?sslrootcert=/x",
			"postgres://ann@db.example/weft?password=hunter2&sslrootcert=/x",
			"postgres://:hunter2@db.example/weft",
			"postgres://u:%zz@db.example/weft",
			"postgres://ann:hunter2@db.example:99999/weft",
			"postgres://ann@db.example/weft",
			"service=team",
		].map(hidePassword),
		[
			"postgres://•••@db.example:6432/weft",
			"postgres://ann:•••@db.example/weft?sslrootcert=/x",
			"postgres://ann:•••@db.example/weft?sslrootcert=%2Fx",
			"postgres://:•••@db.example/weft",
			"postgres://u:•••@db.example/weft",
			"postgres://•••@db.example:99999/weft",
			"postgres://ann@db.example/weft",
			"service=team",
		],
	);
});

test("a service is explained by libpq's own file; what is not there is said", () => {
	const file = join(folder, "services");
	writeFileSync(
		file,
		"# team\n[other]\nhost=wrong\n[team]\nhost = db.example\nport=6000\ndbname=weft\nuser=ann\npassword=s3cret\n[last]\nhost=no\n",
	);
	const env = { PGSERVICEFILE: file };
	assert.equal(showAddress(readAddress("service=team", env)), "ann@db.example:6000/weft");
	assert.equal(showAddress(readAddress("postgres:///?service=team&user=bob", env)), "bob@db.example:6000/weft");
	assert.throws(() => readAddress("service=none", env), {
		code: "bad-config",
		message: /the service 'none', which is not in/,
	});
});

test("an address that cannot be used is refused without showing it", () => {
	for (const url of [
		"mysql://ann:hunter2@db/x",
		"ann:hunter2",
		"postgres://ann:hunter2@db/x?sslmode=maybe",
		"postgres://u:hunter2@db/x?port=abc",
		"postgres://u:%zz@hunter2/x",
	]) {
		assert.throws(
			() => readAddress(url, {}),
			(error: Error) => /^fleet\.url cannot be used: /.test(error.message) && !error.message.includes("hunter2"),
			url,
		);
	}
});

test("a password comes from libpq's own file, if nobody else may read it", () => {
	const home = mkdtempSync(join(tmpdir(), "weft-pgpass-"));
	const path = join(home, ".pgpass");
	const env = { HOME: home };
	writeFileSync(path, "# all\nother:5432:*:ann:no\ndb.example:5432:weft:ann:a\\:b\\\\c\n*:*:*:bob:any\n", {
		mode: 0o600,
	});
	const password = (url: string) => readAddress(url, env).password;
	assert.equal(password("postgres://ann@db.example/weft"), "a:b\\c");
	assert.equal(password("postgres://bob@x.example:99/y"), "any");
	assert.equal(password("postgres://ann@db.example/else"), undefined);
	assert.equal(password("postgres://ann:own@db.example/weft"), "own");
	chmodSync(path, 0o644);
	assert.equal(password("postgres://bob@x.example:99/y"), undefined);
	rmSync(home, { recursive: true, force: true });
});

test("a parameter that would be passed over is refused, and a certificate that is named is checked", () => {
	assert.equal(readAddress("postgres://ann@127.0.0.1/weft?sslrootcert=/x", {}).tls, "full");
	assert.throws(
		() => readAddress("postgres://ann@db.example/weft?conect_timeout=2", {}),
		/\?conect_timeout= is unknown/,
	);
});
