/** Looks once at every session below a home, as the live recorder does, and prints the names of those that it read. */
import { READERS } from "../../src/agent/agents.ts";
import { FileFollower } from "../../src/agent/recorded/file-follower.ts";
import { discover } from "../../src/agent/recorded/session-files.ts";
import { Log } from "../../src/log/log.ts";

const [home = "", folder = ""] = process.argv.slice(2);
using log = new Log({ folder, origin: "here" });
const follower = new FileFollower({
	readers: READERS,
	files: () => discover({ readers: READERS, env: { HOME: home } }).map(({ path }) => path),
	logFor: () => log,
	onTrouble: (path, error) => console.error(`${path}: ${error.message}`),
});
const reports = await follower.look();
console.log(JSON.stringify(reports.flatMap(({ sessions }) => sessions.map(({ session }) => session))));
