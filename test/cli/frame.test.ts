import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { COMMANDS } from "../../src/show/cli/catalogue.ts";
import { nodeProblem } from "../../src/show/cli/node-process.ts";
import { progressLine } from "../../src/show/cli/progress.ts";
import { Place } from "./place.ts";
import { session } from "./session.ts";

const place = new Place();
before(async () => {
	await place.weft("import", place.file("session.jsonl", session(place.project)));
});
after(() => place.remove());

test("help names every command, and every command's help has examples and the global options", async () => {
	const { code, out } = await place.weft("--help");
	assert.equal(code, 0);
	for (const { name } of COMMANDS.filter((spec) => !spec.name.includes(" ")))
		assert.match(out, new RegExp(`^  ${name}\\b`, "m"));
	const helps = await Promise.all(COMMANDS.map(({ name }) => place.weft(...name.split(" "), "--help")));
	for (const [at, help] of helps.entries()) {
		const { name } = COMMANDS[at]!;
		assert.equal(help.code, 0, name);
		assert.match(help.out, /\nExamples:\n {2}\$ weft/, name);
		assert.match(help.out, /--home <dir>/, name);
	}
});

test("--version prints the package's version", async () => {
	const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
		version: string;
	};
	assert.deepEqual(await place.weft("--version"), { code: 0, out: `${version}\n`, err: "" });
});

test("help finds a command inside another, and says which ones there are", async () => {
	const [add, same] = [await place.weft("help", "memory", "add"), await place.weft("memory", "add", "--help")];
	assert.deepEqual(add, same);
	assert.match(add.out, /^Usage: weft memory add /);
	assert.match((await place.weft("help", "run", "pi")).out, /^Usage: weft run /);
	assert.match((await place.weft("help")).out, /^Usage: weft /);
	const said = async (...args: string[]) => {
		const { code, err } = await place.weft(...args);
		assert.equal(code, 2, args.join(" "));
		return err;
	};
	assert.equal(await said("help", "foo"), "weft: Unknown command 'foo'. 'weft --help' lists all commands.\n");
	assert.equal(await said("help", "lgo"), "weft: Unknown command 'lgo'. Did you mean 'weft log'?\n");
	assert.match(await said("help", "memory", "ad"), /Unknown command 'memory ad'\. Did you mean 'weft memory add'\?/);
	assert.match(await said("memory", "foo"), /Unknown command 'memory foo'\. There are show, search, .*import\.\n$/);
	for (const outer of ["fleet", "config", "log"]) {
		assert.match(await said(outer, "foo"), new RegExp(`Unknown command '${outer} foo'\\. There are `));
	}
	assert.match(await said("grep", "a", "--html", "x"), /Unknown option '--html'\. 'weft inspect' shows it/);
	assert.equal(await said("pi"), "weft: Unknown command 'pi'. 'weft run pi' starts it with weft.\n");
	assert.match(await said("bench"), /'npm run bench', in a checkout of weft\.\n$/);
});

test("an unknown command or option is refused with what was meant", async () => {
	const command = await place.weft("lgo");
	assert.deepEqual([command.code, command.out], [2, ""]);
	assert.equal(command.err, "weft: Unknown command 'lgo'. Did you mean 'weft log'?\n");
	const option = await place.weft("log", "--folow");
	assert.deepEqual([option.code, option.out], [2, ""]);
	assert.equal(option.err, "weft: Unknown option '--folow'. Did you mean --follow?\n");
	assert.equal((await place.weft("stats", "too", "much")).code, 2);
	assert.equal((await place.weft("show")).code, 2);
	assert.equal((await place.weft("bench")).code, 2, "benchmarks are not part of the package");
});

test("a type of events that the log has none of is no mistake", async () => {
	const { code, err } = await place.weft("log", "--type", "Seal,verdict");
	assert.equal(code, 0, err);
	assert.match(err, /No events match/);
});

test("values that cannot be meant are usage errors that name the option", async () => {
	const cases: [string[], RegExp][] = [
		[["log", "--limit", "many"], /--limit takes a whole number, at least 0, not 'many'/],
		[["log", "--since", "yesterday"], /--since: 'yesterday' is not a time/],
		[["log", "--type", "Mesage"], /no events of type 'Mesage'. Did you mean 'Message'\?/],
		[["log", "0199"], /Unknown command 'log 0199'\. For a session: 'weft log --session 0199'\./],
		[["export", "--format", "xml"], /--format takes jsonl, pi or md, not 'xml'/],
		[["prune", "--days", "-1"], /--days takes a whole number/],
		[["log", "add", "x", "--data", "{"], /--data must be JSON/],
		[["log", "add", "x", "--limit", "3"], /'weft log add' does not take --limit/],
		[["grep"], /Say what to find/],
	];
	const results = await Promise.all(cases.map(([args]) => place.weft(...args)));
	for (const [at, { code, out, err }] of results.entries()) {
		assert.deepEqual([code, out], [2, ""], cases[at]![0].join(" "));
		assert.match(err, cases[at]![1]);
		assert.doesNotMatch(err, /\n\s+at /);
	}
});

test("with --json an error is a line of JSON on stderr, and the exit status stays", async () => {
	const { code, out, err } = await place.weft("show", "999", "--json");
	assert.deepEqual([code, out], [3, ""]);
	const { error } = JSON.parse(err) as { error: { code: string; message: string } };
	assert.equal(error.code, "not-found");
	assert.match(error.message, /There is no event '999'\. The newest is 19/);
});

test("a project without a log is not found, and asking does not make one", async () => {
	const empty = new Place();
	try {
		const { code, err } = await empty.weft("log");
		assert.equal(code, 3);
		assert.match(err, /There is no log for .+ yet\. 'weft import' .*'weft sessions --all'/);
		assert.deepEqual(await empty.json(), { project: empty.project, home: empty.home, others: 0, log: null });
		assert.equal((await empty.weft("log", "--project", "/no/such/folder")).code, 3);
	} finally {
		empty.remove();
	}
});

test("a reader that goes away ends the command quietly", async () => {
	const child = place.start(["log", "--limit", "0", "--json"]);
	let err = "";
	child.stderr?.on("data", (text) => {
		err += text;
	});
	child.stdout?.destroy();
	const [code] = (await once(child, "close")) as [number];
	assert.deepEqual([code, err], [0, ""]);
});

test("colours follow NO_COLOR, --no-color and FORCE_COLOR; a pipe has none", async () => {
	const sequence = "\u001b[";
	const colored = async (env: Record<string, string>, ...more: string[]) =>
		(await place.weftIn(env, "log", ...more)).out.includes(sequence);
	assert.deepEqual(
		await Promise.all([
			colored({}),
			colored({ FORCE_COLOR: "1" }),
			colored({ FORCE_COLOR: "1" }, "--no-color"),
			colored({ NO_COLOR: "1" }),
		]),
		[false, true, false, false],
	);
});

test("a bad setting is named; it ends a command that writes by the settings, with 2", async () => {
	const bad = { WEFT_PRUNE_DAYS: "soon" };
	const wrong = 'weft: WEFT_PRUNE_DAYS: must be a whole number, at least 1, not "soon".';
	const log = await place.weftIn(bad, "log");
	assert.deepEqual([log.code, log.err], [0, `${wrong} It is ignored.\n`]);
	assert.deepEqual(await place.weftIn(bad, "prune"), { code: 2, out: "", err: `${wrong}\n` });
});

test("a Node that is too old is told what is needed", () => {
	assert.match(nodeProblem("20.19.4") ?? "", /weft needs Node 22\.19 or newer; this is 20\.19\.4/);
	assert.match(nodeProblem("22.18.0") ?? "", /needs Node/);
	assert.deepEqual([nodeProblem("22.19.0"), nodeProblem("24.0.0")], [undefined, undefined]);
});

test("the bar shows the share that is done", () => {
	assert.equal(
		progressLine(25_000_000, 100_000_000, "a.jsonl"),
		"██████░░░░░░░░░░░░░░░░░░  25 %  25 MB of 100 MB  a.jsonl",
	);
	assert.equal(progressLine(0, 0, ""), "████████████████████████ 100 %  0 B of 0 B  ");
});
