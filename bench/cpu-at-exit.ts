/** Loaded into another program before it starts: writes down, when it ends, what processor time it took. */
import { writeFileSync } from "node:fs";

const file = process.env["WEFT_BENCH_CPU_FILE"];
if (file !== undefined) {
	process.on("exit", () => {
		const { user, system } = process.cpuUsage();
		writeFileSync(file, JSON.stringify({ ms: (user + system) / 1_000 }));
	});
}
