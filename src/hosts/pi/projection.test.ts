import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { projectBranch } from "./projection.ts";

const user = (text: string) => ({ role: "user" as const, content: text, timestamp: 0 });

/** What Pi itself projects, as ids and messages without its prompt. */
function theirs(manager: SessionManager) {
	const { entries } = manager.buildSessionProjection();
	return entries.flatMap(({ sourceEntry, messages }) =>
		messages.filter(({ role }) => role !== "system").map((message) => [sourceEntry.id, message]),
	);
}

function ours(manager: SessionManager) {
	return projectBranch(manager).flatMap(({ sourceEntry, messages }) =>
		messages.map((message) => [sourceEntry.id, message]),
	);
}

test("gives what Pi's own projection gives, whatever was appended, edited, compacted and branched", () => {
	const step = fc.record({ what: fc.nat(8), at: fc.nat(30) });
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
			const manager = SessionManager.inMemory("/project");
			const ids: string[] = [];
			const some = (at: number) => ids[at % Math.max(1, ids.length)];
			for (const [n, { what, at }] of steps.entries()) {
				const id = some(at);
				if (what <= 2) ids.push(manager.appendMessage(user(`${n}`)));
				else if (what === 3) ids.push(manager.appendModelChange("p", "m"));
				else if (what === 4) ids.push(manager.appendCustomMessageEntry("note", `note ${n}`, false));
				else if (what === 5) ids.push(manager.appendCompaction(`summary ${n}`, id ?? null, 1));
				else if (id === undefined) continue;
				else if (what === 6) manager.branch(id);
				else if (manager.getEntry(id)?.type === "message" && manager.getBranch().some((entry) => entry.id === id)) {
					ids.push(manager.appendContextEdit(id, what === 7 ? null : { content: `edited ${n}` }));
				}
			}
			assert.deepEqual(ours(manager), theirs(manager));
		}),
		{ numRuns: 300 },
	);
});

test("costs what is sent, not what the session holds", () => {
	const manager = SessionManager.inMemory("/project");
	for (let n = 0; n < 2_000; n++) manager.appendMessage(user(`${n}`));
	const kept = manager.appendMessage(user("kept"));
	manager.appendCompaction("all before", kept, 1);
	let looked = 0;
	const watched = {
		getLeafEntry: () => manager.getLeafEntry(),
		getEntry: (id: string) => {
			looked++;
			return manager.getEntry(id);
		},
	};
	assert.equal(projectBranch(watched).length, 2);
	assert.ok(looked <= 2, `${looked}`);
});
