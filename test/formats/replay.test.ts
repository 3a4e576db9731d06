import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import { checkRequest } from "../../src/message/validity.ts";
import { toWire } from "../../src/message/wire.ts";
import { openRecording } from "../../src/replay/recording.ts";
import { replayAll } from "../replay/rig.ts";
import { FORMATS, writeFormat } from "./formats.ts";
import { COMPACTED, SCRIPT, type Step } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-formats-"));
after(() => rmSync(home, { recursive: true, force: true }));

for (const format of FORMATS) {
	test(`${format.agent} ${basename(format.path).slice(0, 24)}: every request of every mode can be sent, in both forms`, async () => {
		const script = format.compacts ? COMPACTED : SCRIPT;
		const recording = await openRecording(writeFormat(format, home, script));
		try {
			// opencode writes the call that made the summary down like any other.
			const isCall = (step: Step) =>
				"answer" in step || (/^(?:opencode|kilo)$/.test(format.agent) && "compacted" in step);
			assert.equal(recording.calls.length, script.filter(isCall).length);
			for (const row of ["woven", "plain", "warp", "lossless", "host"] as const) {
				const { requests } = await replayAll(recording, row, 20_000);
				for (const { envelope, form } of requests) {
					for (const to of ["anthropic", "openai"] as const) {
						const wire = toWire(hostMessages(envelope), form, to);
						assert.deepEqual(checkRequest(wire, to), [], `${row} ${to}`);
					}
				}
				// The summary stands for what was before it, and the words after it are there.
				const last = JSON.stringify(requests.at(-1)!.envelope.messages);
				if (row === "host" && format.compacts) assert.ok(last.includes("The selvage was torn"), row);
				assert.ok(last.includes("And the other side?"), row);
			}
		} finally {
			recording.close();
		}
	});
}
