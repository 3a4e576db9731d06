/** A process that appends until it is killed, and says after each append which entries are now in the log. */

import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { sessionFold } from "../../src/state/session/session-fold.ts";

const [folder, name, limit] = process.argv.slice(2) as [string, string, string];
const log = new Log({ folder, origin: name, projection: () => new TableFolds([sessionFold]) });
for (let n = 0; n < Number(limit); n++) {
	const batch = n % 7 === 0 ? 30 : 1;
	const events = Array.from({ length: batch }, (_, i) => ({
		type: "Custom" as const,
		session: name,
		host: "test",
		ts: n,
		entry: `${n}.${i}`,
		payload: { name: "work", data: `${name} ${n} `.repeat((n * 37) % 400) },
	}));
	log.append(events);
	process.stdout.write(`${events.map((event) => event.entry).join(" ")}\n`);
	if (n % 11 === 0) log.settle({ all: n % 22 === 0 });
}
log.close();
process.stdout.write("done\n");
