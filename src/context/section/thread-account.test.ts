import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, call, failed, fileChanged, ran, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { threadIn } from "../../state/thread/thread.ts";
import { threadFold } from "../../state/thread/thread-fold.ts";
import { SEED_STYLE } from "./seed.ts";
import { renderAccount } from "./thread-account.ts";

function accountOf(words: readonly SessionWord[], failing: readonly string[] = [], bytes = 8_000): string[] {
	const thread = threadIn(stateAfter(threadFold, ...words), "s");
	assert.ok(thread);
	const input = { thread, raw: "", shown: "", apart: new Set<string>(), failing };
	return renderAccount(input, SEED_STYLE, bytes).flatMap(({ lines }) => lines.map((line) => line.trim()));
}

test("what the agent only announced is not told: the calls that followed did it, or the next sentence says more", () => {
	const lines = accountOf([
		user("Mend the importer in src/importer.ts."),
		assistant("Now let me look at `src/importer.ts`:"),
		assistant("I’m reading `src/store.ts` next."),
		assistant("Now update `readRows` in src/importer.ts:"),
		assistant("Now I have the whole picture."),
		assistant("次に `src/store.ts` を確認します。"),
		assistant("이제 `src/store.ts`를 고치겠습니다."),
		assistant("The importer drops the last row because `readRows` stops at EOF. Let me fix `readRows`."),
		assistant("I’ll keep `readRows` rather than `streamRows`, since rows are few."),
		fileChanged("src/importer.ts"),
		assistant("Done: `readRows` keeps the last row."),
	]);
	assert.deepEqual(lines.slice(2), [
		"The importer drops the last row because `readRows` stops at EOF.",
		"I’ll keep `readRows` rather than `streamRows`, since rows are few.",
		"Changed: src/importer.ts",
		"Done: `readRows` keeps the last row.",
	]);
});

test("of several runs of one suite the last one is told", () => {
	const lines = accountOf([
		user("Mend the store."),
		ran("go test ./...", "FAIL\tdemo/store\t0.4s"),
		ran("go test ./...", "ok  \tdemo/store\t0.5s"),
		ran("go test ./cart", "ok  \tdemo/cart\t0.1s"),
		ran("go test ./...", "ok  \tdemo/store\t0.6s"),
	]);
	assert.deepEqual(lines.slice(2), ["✓ ok demo/cart 0.1s", "✓ ok demo/store 0.6s"]);
});

test("calls that fail are apart from those with a form that works; a look at what is not there is not told", () => {
	const words = [
		user("Ship it."),
		failed("pnpx lint", "bash: pnpx: command not found"),
		failed("git push --force-lease origin main", "error: unknown option `force-lease'"),
		ran("git push --force-with-lease origin main", "Everything up-to-date"),
		failed("cat src/gone.ts", "cat: src/gone.ts: No such file or directory"),
		call("Read", { file_path: "src/gone.ts" }, { text: "File does not exist.", isError: true }),
	];
	const lines = accountOf(words);
	const from = lines.findIndex((line) => line.startsWith("## Calls"));
	assert.deepEqual(lines.slice(from), [
		"## Calls that failed, and the form that works",
		"- `git push --force-lease origin main`: error: unknown option `force-lease'; works: `git push --force-with-lease origin main`",
		"## Calls that fail here",
		"- `pnpx lint`: bash: pnpx: command not found",
	]);
	const thread = threadIn(stateAfter(threadFold, ...words), "s");
	const open = thread?.failedForms.filter(({ call: words }) => words === "pnpx lint").map(({ handle }) => handle);
	assert.ok(!accountOf(words, open).some((line) => line.includes("pnpx lint")));
});

test("a cause that the agent took back is not told as one, and its retraction is", () => {
	const lines = accountOf([
		user("Why does the nightly import fail?"),
		assistant("Found the cause: the import fails because the token of `ledger-sync` is expired."),
		assistant("Actually, the token of `ledger-sync` is valid; the import fails before it is read."),
		assistant("The cause is the lock file in `var/import.lock`, which nobody removes."),
		assistant("Fixed: `var/import.lock` is removed at the start."),
	]);
	assert.deepEqual(lines.slice(2), [
		"Actually, the token of `ledger-sync` is valid; the import fails before it is read.",
		"The cause is the lock file in `var/import.lock`, which nobody removes.",
		"Fixed: `var/import.lock` is removed at the start.",
	]);
});

test("a call that fails while others of its program work is not told as one that fails here", () => {
	const lines = accountOf([
		user("Ship it."),
		failed("rtk build --fast", "error: unrecognized subcommand 'build'"),
		failed("jqx '.a | .b'", "jqx: error: invalid syntax"),
		ran("jqx '.[0]' table.json", "1"),
		call("Fetch", { path: "https://example.com/gone" }, { text: "Status code 404", isError: true }),
		call("Fetch", { path: "https://example.com/there" }, { text: "A page about harbours." }),
	]);
	const from = lines.findIndex((line) => line.startsWith("## Calls"));
	assert.deepEqual(lines.slice(from + 1), ["- `rtk build --fast`: error: unrecognized subcommand 'build'"]);
});

test("a form whose exit a pipe hides is none that works while it prints the same error", () => {
	const error = "error: unrecognized subcommand 'build'";
	const lines = accountOf([user("Ship it."), failed("rtk build", error), ran("rtk build | tail -3", error)]);
	assert.ok(!lines.some((line) => line.includes("works:")), lines.join("\n"));
});

test("an answer to which the user objected with reason says so, and a number with what it stands for", () => {
	const lines = accountOf([
		user("Where does the harbour keep its tokens?"),
		assistant("They are in the keyring, under `harbour-cli`."),
		user("I think that is old, there is no `harbour-cli` any more"),
		assistant("You’re right. They are in `tokens.json` now. Options:\n1. Read the file.\n2. Ask `harbourd` for one."),
		user("2 please"),
		assistant("`harbourd` answers on port 7443."),
	]);
	assert.match(
		lines[2] ?? "",
		/^They are in the keyring, under `harbour-cli`\. \[the user objected, and the agent agreed: m-\w+\]$/,
	);
	assert.match(lines.join("\n"), /\) 2 please \(the agent's "2: Ask `harbourd` for one\."\)/);
});

test("a few words of the user stay whole, and the option that they choose has its line above", () => {
	const offer = assistant("I can:\n1. paint the harbour\n2. paint the sea");
	const words = [
		user("What is left?"),
		offer,
		user("okay I approve #1\nbut explain #2, what sea"),
		assistant("The sea."),
	];
	const thread = threadIn(stateAfter(threadFold, ...words), "s");
	assert.ok(thread);
	const [choice] = thread.remarks;
	assert.equal(choice?.text, `okay I approve #1 (the agent's "1: paint the harbour")`);
	const told = (shown: string) =>
		renderAccount({ thread, raw: "", shown, apart: new Set() }, SEED_STYLE, 8_000).flatMap(({ lines }) => lines);
	const line = (shown: string) => told(shown).find((each) => each.includes("but explain")) ?? "";
	assert.match(line(`- ${choice?.text}`), /okay I approve #1 but explain #2, what sea$/);
	assert.match(line(""), /what sea \(the agent's "1: paint the harbour"\)$/);
});

test("what an answer said is not told again where a message below holds it, in JSON or with its marks", () => {
	const said =
		'The gauges are read.\n\n---\n\nRun this:\n```sh\nnpm run gauges\n```\nThen say "done" in `notes/log.md`.';
	const thread = threadIn(stateAfter(threadFold, user("Read the gauges."), assistant(said), user("And now?")), "s");
	assert.ok(thread);
	const told = (raw: string) =>
		renderAccount({ thread, raw, shown: "", apart: new Set() }, SEED_STYLE, 8_000)
			.flatMap(({ lines }) => lines)
			.join("\n");
	assert.match(told(""), /npm run gauges Then say "done"/);
	for (const raw of [said, JSON.stringify({ body: said })]) assert.doesNotMatch(told(raw), /npm run gauges/);
});

test("what an old request came to takes a few lines, however much the agent said, and a new one may take more", () => {
	const answer = (name: string) =>
		assistant(
			Array.from({ length: 60 }, (_, at) => `The ${name}${at} gauge reads value${at}_${name} at noon.`).join("\n\n"),
		);
	const asked = ["amber", "birch", "cedar", "delta", "ember"].flatMap((name) => [
		user(`Read the ${name} gauges.`),
		answer(name),
	]);
	const lines = accountOf(asked, [], 40_000);
	const size = (name: string) => lines.filter((line) => line.includes(`_${name}`)).join("\n").length;
	assert.ok(size("amber") > 150 && size("amber") <= 400, `${size("amber")}`);
	assert.ok(size("birch") > 800 && size("birch") <= 1_200, `${size("birch")}`);
	assert.ok(size("ember") > 1_500, `${size("ember")}`);
});

test("what the agent was about to do is told of the request in hand alone", () => {
	const about = "I’m reading `src/store.ts`, because the importer writes its rows there.";
	const lines = accountOf([
		...[user("Mend the importer."), assistant(about), assistant("Mended.")],
		...[user("Mend the exporter now."), assistant(about)],
	]);
	assert.deepEqual(
		lines.slice(1).map((line) => line.replace(/^- \(\S+\) /, "")),
		["Mend the importer.", "Mended.", "Mend the exporter now.", about],
	);
});

test("a paste alone is told by its first line and what failed in it; a bare yes with nothing after it has no line", () => {
	const paste = [
		"❯ sync --all",
		...Array.from({ length: 30 }, (_, at) => `[sync] ref ${at} created`),
		"error: no such ref",
	];
	const lines = accountOf([
		user(paste.join("\n")),
		assistant("Fetch `refs/tides` first."),
		user("do this"),
		user("Thanks, what is next in the plan?"),
	]);
	assert.match(lines[1] ?? "", /\) ❯ sync --all error: no such ref/);
	assert.ok(!lines.some((line) => line.includes("do this")), lines.join("\n"));
});

test("an old question of which nothing is worth telling has no line, an old order has one", () => {
	const asked = (words: string) => [user(words), assistant("ok")];
	const later = ["amber", "birch", "cedar", "delta"].flatMap((name) => asked(`Read the ${name} gauges.`));
	const lines = accountOf([
		...asked("Is the gauge at the pier still in use?"),
		...asked("Keep the pier out."),
		...later,
	]);
	assert.ok(!lines.some((line) => line.includes("still in use")), lines.join("\n"));
	assert.ok(lines.some((line) => line.includes("Keep the pier out.")));
});

test("a table in an answer counts less than its sentences", () => {
	const row = (_: unknown, at: number) => `| gauge_${at} | ${at * 17} | pier_${at} | v${at}.${at} |`;
	const rows = Array.from({ length: 40 }, row);
	const found =
		"The count of gauge_7 is wrong since north_pier moved to harbour_2 last winter, which Ada noticed while the stream was frozen: whoever uses these figures should convert them from old_scale to new_scale, or ask the harbour office before anything is published.";
	const answer = [...rows.slice(0, 20), found, ...rows.slice(20)].join("\n\n");
	const lines = accountOf([user("Count the gauges."), assistant(answer)], [], 1_200);
	assert.ok(
		lines.some((line) => line.includes("harbour_2")),
		lines.join("\n"),
	);
});
