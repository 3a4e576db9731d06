/** Imports files in a fresh process, so that its memory is the import's. Prints time and memory. */

import { READERS } from "../src/agent/agents.ts";
import { importFile } from "../src/agent/recorded/import.ts";
import { Log } from "../src/log/log.ts";
import { keepHeapSmall } from "../src/show/cli/node-process.ts";

export interface ImportCost {
	/** Of the processor, in seconds. */
	readonly seconds: number;
	/** The whole process at its largest, in megabytes. */
	readonly memoryMB: number;
}

const [folder = "", ...paths] = process.argv.slice(2);
keepHeapSmall();
let most = 0;
const look = () => {
	most = Math.max(most, process.memoryUsage.rss());
};
const log = new Log({ folder, origin: "bench" });
const before = process.cpuUsage();
for (const path of paths) {
	await importFile(path, {
		readers: READERS,
		logFor: () => ({
			append: (events) => {
				look();
				return log.append(events, { packed: true });
			},
			read: (query) => log.read(query),
		}),
	});
	look();
}
const { user, system } = process.cpuUsage(before);
log.close();
const cost: ImportCost = { seconds: (user + system) / 1e6, memoryMB: most / 1e6 };
console.log(JSON.stringify(cost));
