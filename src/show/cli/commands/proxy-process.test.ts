import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { keepProxy } from "../kept-proxy.ts";

/** Writes down each start; the first one dies when the file `die` is there, the next two do not come up, the fourth stays. */
const PROXY = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const file = process.argv[2];
appendFileSync(file, process.argv.slice(3).join(" ") + "\\n");
const starts = readFileSync(file, "utf8").split("\\n").length - 1;
if (starts === 2 || starts === 3) process.exit(1);
console.log(JSON.stringify({ address: "http://127.0.0.1/" }));
process.on("message", ({ connection }, socket) => {
	process.send({ taken: connection });
	socket.end("served by " + starts + ", secret " + process.env.WEFT_PROXY_SECRET);
});
setTimeout(() => process.exit(), 60_000);
if (starts === 1) setInterval(() => existsSync(file + ".die") && process.exit(), 5);
if (starts === 1) process.on("exit", () => writeFileSync(file + ".died", ""));
`;

test("a proxy that died is started again on its port, also where the first tries fail", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-kept-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const [program, starts] = [join(folder, "proxy.mjs"), join(folder, "starts")];
	writeFileSync(program, PROXY);
	const kept = await keepProxy({
		weft: [process.execPath, program, starts],
		args: ["--for", "claude"],
		cwd: folder,
		env: process.env,
	});
	const { port, pathname } = new URL(kept.address);
	const served = async () => {
		const socket = connect(Number(port), "127.0.0.1");
		return await text(socket);
	};
	const lines = () => readFileSync(starts, "utf8").trim().split("\n");
	assert.equal(await served(), `served by 1, secret ${pathname.slice(1)}`);
	writeFileSync(`${starts}.die`, "");
	while (!existsSync(`${starts}.died`)) await pause(5);
	await pause(50);
	await assert.rejects(listening(Number(port)), { code: "EADDRINUSE" }, "the port is not free while no proxy runs");
	assert.equal(await served(), `served by 4, secret ${pathname.slice(1)}`, "a connection waits for the next proxy");
	await kept.end();
	const line = `--json proxy --until-eof --handed --port ${port} --for claude`;
	assert.deepEqual(
		lines(),
		Array.from({ length: 4 }, () => line),
	);
	await listening(Number(port));
});

/** Takes the port for a moment. */
async function listening(port: number): Promise<void> {
	const server = createServer();
	server.listen(port, "127.0.0.1");
	await once(server, "listening");
	server.close();
}
