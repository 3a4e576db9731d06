/**
 * Downloads the newest Pi that weft is tested with, besides the dev dependency, once; `npm run test:pi` then runs without a
 * network. Its package contains the whole program as one bundle and needs none of its listed dependencies.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "1.5.0";
const SHA512 = "xNDZ5kqowO6Z03FS2gwAkPEGk1ssxVcYKQ6qZId84mFEvwACvvyc2l0vAMOS+c5zvxLRMLBE9r4y44IGYkMJaQ==";

const target = fileURLToPath(new URL(`../node_modules/.cache/pi-${VERSION}`, import.meta.url));
if (existsSync(join(target, "dist/bundle/cli.js"))) process.exit();

mkdirSync(dirname(target), { recursive: true });
const folder = mkdtempSync(join(dirname(target), "fetch-"));
try {
	const spec = `@earendil-works/pi-coding-agent@${VERSION}`;
	const packed = execFileSync("npm", ["pack", spec, "--json", "--pack-destination", folder], {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});
	const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
	const archive = join(folder, filename);
	const sum = createHash("sha512").update(readFileSync(archive)).digest("base64");
	if (sum !== SHA512) throw new Error(`${spec} has changed: its SHA-512 is ${sum}.`);
	execFileSync("tar", ["xzf", archive, "-C", folder]);
	rmSync(target, { recursive: true, force: true });
	renameSync(join(folder, "package"), target);
	process.stdout.write(`${spec} is in node_modules/.cache.\n`);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
