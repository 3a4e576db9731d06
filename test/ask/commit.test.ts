/** `weft why COMMIT` and `weft why FILE:LINE`, in a real repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, suite, test } from "node:test";
import { commitMakers } from "../../src/ask/commit-makers.ts";
import type { NewEvent } from "../../src/log/event/types.ts";
import { readCommitStory, renderCommitStory } from "../../src/view/commit-story.ts";
import { readLineStory, renderLineStory } from "../../src/view/line-story.ts";
import { PLAIN } from "../../src/view/text-style.ts";
import { assistant, edit, eventsOf, ran, type SessionWords, sessionStarted, user, write } from "../rig/events.ts";
import { type AskScene, askScene, MONDAY, NOW, TUESDAY } from "./scene.ts";

suite("who made it", () => {
	let scene: AskScene;
	const git = (...args: readonly string[]) =>
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
			cwd: scene.project.folder,
			encoding: "utf8",
			env: { ...process.env, GIT_AUTHOR_DATE: new Date(NOW).toISOString() },
		}).trim();
	before(() => {
		scene = askScene();
		git("init", "-q");
		git("add", "src/queue.js");
		git("commit", "-qm", "Sum the sizes");
		scene.project.put("src/report.js", "export function report() {}\n");
		git("add", "src/report.js");
		git("commit", "-qm", "Generate it");
	});
	after(() => scene[Symbol.dispose]());

	const sources = () => ({ log: scene.engine.log, within: "all" as const, root: scene.project.folder, known: [] });

	test("a commit leads to the session and the request that wrote its lines", async () => {
		const relay = await readCommitStory(scene.engine, "HEAD~1");
		assert.deepEqual([relay.subject, relay.sessions[0]?.session], ["Sum the sizes", MONDAY.session]);
		assert.match(relay.sessions[0]?.asked?.text ?? "", /Why \+= there/);
		const report = await readCommitStory(scene.engine, git("rev-parse", "HEAD").slice(0, 8));
		assert.equal(report.sessions[0]?.session, TUESDAY.session);
		const text = [...renderCommitStory(report, PLAIN)].join("\n");
		assert.match(text, /Generate it\n\ncodex session report-0002, .*\[e-[0-9a-f]{12}\]\n {2}you asked .*weekly report/);
	});

	test("by its subject alone a commit leads to the session that says its words", () => {
		const [maker] = commitMakers(sources(), { subject: "Generate weekly reports", diff: "" });
		assert.deepEqual([maker?.session, maker?.edit], [TUESDAY.session, null]);
	});

	test("what was done after a commit did not make it", () => {
		const diff = "+++ b/src/report.js\n+export function report() {}";
		const before = commitMakers(sources(), { subject: "x", diff, ts: NOW - 40 * 3_600_000 });
		assert.deepEqual(
			before.filter(({ edit }) => edit !== null),
			[],
		);
	});

	test("other sessions than those in scope are never named", () => {
		const within = { only: [MONDAY.session] };
		const diff = "+++ b/src/report.js\n+export function report() {}";
		const makers = commitMakers({ ...sources(), within }, { subject: "Generate weekly reports", diff });
		assert.ok(makers.every(({ session }) => session === MONDAY.session));
	});

	test("a session that found the lines there did not write them; the one whose lines they replace is nearer", () => {
		const at = (days: number, session: string, words: SessionWords) => {
			const events = eventsOf([sessionStarted(scene.project.folder), ...words], scene.project.folder);
			const of = { session, host: "pi", ts: NOW + days * 86_400_000 };
			scene.engine.record(events.map((event) => ({ ...event, ...of }) as NewEvent));
		};
		const [old, now] = [
			"const berths = countBerthsOfHarbour(harbour);",
			"const berths = harbour.berths.length; // cheap",
		];
		at(1, "writer-0004", [user("Count the berths."), write("src/berth.js", `${old}\n`, "Successfully wrote")]);
		at(2, "reader-0005", [user("What is in there?"), ran("cat src/berth.js", now), assistant(`It says ${now}`)]);
		const diff = `+++ b/src/berth.js\n-${old}\n+${now}`;
		const [maker, next] = commitMakers(sources(), { subject: "", diff });
		assert.deepEqual([maker?.session, next?.session], ["writer-0004", "reader-0005"]);
		at(3, "other-0006", [user("Commit it."), ran("git commit -am x", "[main 0123456] x\n 1 file changed")]);
		assert.equal(commitMakers(sources(), { subject: "", diff, commit: "0123456789" })[0]?.session, "other-0006");
	});

	test("a session that read the new lines in a manual, and then replaced the old ones by them, wrote them", () => {
		const at = (days: number, session: string, words: SessionWords) => {
			const events = eventsOf([sessionStarted(scene.project.folder), ...words], scene.project.folder);
			const of = { session, host: "pi", ts: NOW + days * 86_400_000 };
			scene.engine.record(events.map((event) => ({ ...event, ...of }) as NewEvent));
		};
		const [old, now] = ["mooring: { type: rope, lengthInMetres: 40 }", "mooringRopeLengthInMetres: 40"];
		at(4, "manual-0007", [
			user("Flatten the mooring."),
			ran("cat docs/manual.md", `${now}\n`),
			edit("src/mooring.yaml", old, now, "Successfully replaced"),
			ran("git diff", `-${old}\n+${now}`),
		]);
		at(5, "later-0008", [user("Which ropes?"), ran("cat src/mooring.yaml", now), assistant(`It says ${now}`)]);
		const [maker] = commitMakers(sources(), { subject: "", diff: `+++ b/src/mooring.yaml\n-${old}\n+${now}` });
		assert.equal(maker?.session, "manual-0007");
	});

	test("the hash that a session shows after its quiet commit leads to it; who comes later did not make it", () => {
		const at = (days: number, session: string, words: SessionWords) => {
			const events = eventsOf([sessionStarted(scene.project.folder), ...words], scene.project.folder);
			const of = { session, host: "pi", ts: NOW + days * 86_400_000 };
			scene.engine.record(events.map((event) => ({ ...event, ...of }) as NewEvent));
		};
		const line = "const tonnage = ships.reduce(addTonnage, 0);";
		const log = "fedcba9 Add the tonnage\n7654321 Count the ships";
		at(6, "typist-0009", [user("Add the tonnage."), write("src/ton.js", `${line}\n`, "Successfully wrote")]);
		at(7, "quiet-0010", [
			user("Commit what is there."),
			ran("git commit -qam 'Add the tonnage'", ""),
			ran("git log --oneline -2", log),
		]);
		at(8, "looker-0011", [user("What is new?"), ran("git log --oneline", log), ran("cat src/ton.js", line)]);
		at(9, "late-0012", [user("Write it again."), write("src/ton.js", `${line}\n`, "Successfully wrote")]);
		const diff = `+++ b/src/ton.js\n+${line}`;
		const makers = (commit: string) =>
			commitMakers(sources(), { subject: "Add the tonnage", diff, commit }).map(({ session }) => session);
		assert.equal(makers("fedcba9876")[0], "quiet-0010");
		// An older hash below it is not the new commit.
		assert.equal(makers("7654321fed")[0], "typist-0009");
		assert.equal(makers("fedcba9876").includes("late-0012"), false);
	});

	test("the key of an issue in a comment leads to the session that speaks of it", () => {
		const at = (days: number, session: string, words: SessionWords) => {
			const events = eventsOf([sessionStarted(scene.project.folder), ...words], scene.project.folder);
			const of = { session, host: "pi", ts: NOW + days * 86_400_000 };
			scene.engine.record(events.map((event) => ({ ...event, ...of }) as NewEvent));
		};
		at(10, "keyed-0013", [user("Take HARB-77 next."), assistant("HARB-77 is about the anchors.")]);
		at(11, "beside-0014", [user("Paint the anchors windlass."), assistant("The anchors windlass is red.")]);
		const diff = "+++ b/src/anchor.js\n+// The windlass holds all anchors (HARB-77).\n+let windlass = 7;";
		assert.equal(commitMakers(sources(), { subject: "", diff })[0]?.session, "keyed-0013");
	});

	test("an unknown commit is said to be unknown", async () => {
		await assert.rejects(readCommitStory(scene.engine, "0123456789"), /There is no commit '0123456789'/);
	});

	test("a line leads to its edit, a line without one says so, and one that is not there is refused", () => {
		const cwd = scene.project.folder;
		const text = [...renderLineStory(readLineStory(scene.engine, "src/queue.js", 2, cwd), PLAIN)].join("\n");
		assert.match(text, /^src\/queue\.js:2 let total = 1;\n\npi session relay-0001/);
		assert.match(text, /the user had asked .*Why \+= there/);
		scene.project.put("src/queue.js", "by hand\n");
		const none = [...renderLineStory(readLineStory(scene.engine, "src/queue.js", 1, cwd), PLAIN)].join("\n");
		assert.match(none, /No recorded edit wrote this line as it is now\. 2 changes of the file are recorded\./);
		assert.throws(() => readLineStory(scene.engine, "src/queue.js", 99, cwd), /has no line 99 on disk/);
	});
});
