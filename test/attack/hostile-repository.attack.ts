/**
 * Repositories whose own settings name programs, for all that git would start by itself while it looks, reads and compares:
 * nothing that weft does with git starts one of them. Each program leaves a line in a file if it runs.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
	appendFileSync,
	cpSync,
	existsSync,
	globSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readCommit } from "../../src/ask/commit-text.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { heldFiles } from "../../src/base/git/held-file.ts";
import { readRepoMap } from "../../src/base/git/repo-map.ts";
import { projectName } from "../../src/fleet/place.ts";
import { openRewind } from "../../src/guard/rewind/request.ts";
import { EngineAgent, EngineProject } from "../rig/engine-agent.ts";
import { tellCount } from "./count.ts";

class HostileProject extends EngineProject {
	readonly tree = this.folder();
	readonly marker = join(this.tree, "..", "ran");

	constructor() {
		super();
		this.git("init", "-q");
		this.put("a.txt", "one\n");
		this.put("deep/b.txt", "two\n");
		this.put(".gitattributes", "*.txt filter=evil diff=evil\n");
		this.git("add", "-A");
		this.git("commit", "-qm", "one");
	}

	put(name: string, text: string): void {
		mkdirSync(join(this.tree, name, ".."), { recursive: true });
		writeFileSync(join(this.tree, name), text);
	}

	git(...args: string[]): string {
		const identity = ["-c", "user.name=t", "-c", "user.email=t", "-c", "protocol.file.allow=always"];
		return execFileSync("git", [...identity, ...args], { cwd: this.tree, encoding: "utf8", stdio: "pipe" }).trim();
	}

	/** A line for the shell that tells that it ran. */
	program(name: string): string {
		return `echo ${name} >>'${this.marker}';cat;#`;
	}

	script(name: string): string {
		const path = join(this.tree, "..", `${name}.sh`);
		writeFileSync(path, `#!/bin/sh\necho ${name} >>'${this.marker}'\nexit 1\n`, { mode: 0o755 });
		return path;
	}

	/** As if the index were older than the files, so that git reads them. */
	age(): void {
		for (const name of ["a.txt", "deep/b.txt"]) utimesSync(join(this.tree, name), 1, 1);
	}

	/** A blob that only a remote has, so that git would ask for it. */
	loseObjects(): void {
		const object = this.git("rev-parse", "HEAD:a.txt");
		rmSync(join(this.tree, ".git/objects", object.slice(0, 2), object.slice(2)));
		this.git("config", "core.repositoryFormatVersion", "1");
		this.git("config", "extensions.partialClone", "origin");
		this.git("config", "remote.origin.promisor", "true");
	}

	ran(): string {
		return existsSync(this.marker) ? readFileSync(this.marker, "utf8") : "";
	}
}

const CLI = join(import.meta.dirname, "../../src/show/cli/main.ts");
const FILTERS = ["clean", "smudge", "process"] as const;

const HOSTILE: Readonly<Record<string, (project: HostileProject) => void>> = {
	...Object.fromEntries(
		FILTERS.map((kind) => [
			`filter.${kind}`,
			(project: HostileProject) => {
				project.git("config", `filter.evil.${kind}`, project.program(kind));
				project.git("config", "filter.evil.required", "true");
			},
		]),
	),
	"filters with odd names": (project) => {
		const names = ["e=v.clean=x", "é.smudge", '"quoted\\'];
		const section = (name: string) =>
			`[filter "${name.replace(/["\\]/g, "\\$&")}"]\n\tclean = ${project.script("odd")}\n\tsmudge = ${project.script("odd")}\n`;
		appendFileSync(join(project.tree, ".git/config"), names.map(section).join(""));
		const attributes = names.map((name, n) => `${["a*", "deep/b*", ".gitattributes"][n]} filter=${name}\n`);
		writeFileSync(join(project.tree, ".git/info/attributes"), attributes.join(""));
	},
	"a filter whose name is in another encoding": (project) => {
		const section = `[filter "\xe9"]\n\tclean = ${project.script("latin")}\n\tsmudge = ${project.script("latin")}\n`;
		appendFileSync(join(project.tree, ".git/config"), section, "latin1");
		writeFileSync(join(project.tree, ".git/info/attributes"), "*.txt filter=\xe9\n", "latin1");
	},
	"a filter without a name": (project) => {
		appendFileSync(join(project.tree, ".git/config"), `[filter ""]\n\tclean = ${project.script("nameless")}\n`);
		writeFileSync(join(project.tree, ".git/info/attributes"), "*.txt filter=\n");
	},
	"a filter in a file that is included": (project) => {
		project.put(".included", `[filter "evil"]\n\tclean = ${project.script("included")}\n`);
		project.git("config", "include.path", join(project.tree, ".included"));
	},
	"a filter in the settings of a work tree": (project) => {
		project.git("config", "extensions.worktreeConfig", "true");
		project.git("config", "--worktree", "filter.evil.clean", project.script("worktree"));
		project.git("config", "--worktree", "filter.evil.smudge", project.script("worktree"));
	},
	"a filter for a name of its own": (project) => {
		writeFileSync(join(project.tree, ".git/info/attributes"), "* filter=info\n");
		project.git("config", "filter.info.clean", project.script("info"));
		project.git("config", "filter.info.smudge", project.script("info"));
	},
	"the filter of a submodule": (project) => {
		const other = join(project.tree, "..", "other");
		cpSync(project.tree, other, { recursive: true });
		project.git("submodule", "--quiet", "add", other, "module");
		project.git("commit", "-qm", "module");
		for (const kind of FILTERS) project.git("-C", "module", "config", `filter.evil.${kind}`, project.script("module"));
		for (const name of ["a.txt", "deep/b.txt"]) utimesSync(join(project.tree, "module", name), 1, 1);
	},
	"core.fsmonitor": (project) => project.git("config", "core.fsmonitor", project.script("fsmonitor")),
	"core.hooksPath": (project) => {
		const hooks = join(project.tree, ".hooks");
		mkdirSync(hooks);
		for (const name of [
			"post-index-change",
			"reference-transaction",
			"post-checkout",
			"fsmonitor-watchman",
			"pre-auto-gc",
		])
			cpSync(project.script("hook"), join(hooks, name));
		project.git("config", "core.hooksPath", hooks);
	},
	"programs that show differences": (project) => {
		project.git("config", "diff.external", project.script("external"));
		project.git("config", "diff.evil.textconv", project.script("textconv"));
		project.git("config", "diff.evil.command", project.script("command"));
		project.git("config", "interactive.diffFilter", project.script("interactive"));
		for (const name of ["core.pager", "pager.show", "pager.status", "core.editor", "core.askPass"])
			project.git("config", name, project.script("pager"));
	},
	"a signature that is checked": (project) => {
		const commit = project.git("cat-file", "commit", "HEAD");
		const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
		const path = join(project.tree, "..", "commit");
		writeFileSync(path, `${commit.replace(/\n\n/, `\n${signature}\n`)}\n`);
		project.git("update-ref", "HEAD", project.git("hash-object", "-t", "commit", "-w", path));
		project.git("config", "log.showSignature", "true");
		project.git("config", "gpg.program", project.script("gpg"));
	},
	"a remote that is a program": (project) => {
		project.git("config", "protocol.ext.allow", "always");
		project.git("config", "remote.origin.url", `ext::${project.script("ext")}`);
		project.loseObjects();
	},
	"a remote behind a program": (project) => {
		project.git("config", "core.sshCommand", project.script("ssh"));
		project.git("config", "remote.origin.url", "ssh://127.0.0.1:1/x");
		project.git("config", "credential.helper", project.script("credential"));
		project.loseObjects();
	},
	"a remote whose server is a program": (project) => {
		project.git("config", "remote.origin.url", project.tree);
		project.git("config", "remote.origin.uploadpack", project.script("uploadpack"));
		project.loseObjects();
	},
	"aliases of what git has": (project) => {
		for (const name of ["status", "show", "cat-file", "ls-tree", "ls-files", "diff", "rev-parse", "config"])
			project.git("config", `alias.${name}`, `!${project.script("alias")}`);
	},
};

let uses = 0;

/** All that weft asks git: at commands that remove files, at a rewind, for a map, a commit and the project's name. */
async function useGit(project: HostileProject): Promise<void> {
	const { tree, engine } = project;
	const agent = new EngineAgent(project, tree);
	const rewind = () => {
		const plan = openRewind(engine.log, { cwd: tree, root: tree, now: Date.now(), before: "rm -rf deep" });
		plan.apply({ maxBytes: 1e9, now: Date.now, command: "weft rewind" });
	};
	project.age();
	for (const use of [
		() => readRepoMap(tree),
		() => readCommit(tree, "HEAD"),
		() => projectName({ project: { ...engine.project, root: tree }, settings: engine.settings }),
		() => agent.bash("rm -rf deep a.txt module/deep"),
		rewind,
		() => agent.bash("rm -rf .git deep a.txt"),
		rewind,
	]) {
		uses++;
		try {
			await use();
		} catch {
			// It says why; what counts is what ran.
		}
	}
}

for (const [name, arm] of Object.entries(HOSTILE)) {
	test(`nothing runs: ${name}`, async () => {
		using project = new HostileProject();
		arm(project);
		rmSync(project.marker, { force: true });
		await useGit(project);
		assert.equal(project.ran(), "");
	});
}

/** What some agents take over from a project's .env file before they start other programs. */
test("nothing runs and nothing is written by variables of git", async () => {
	using project = new HostileProject();
	const trace = join(project.tree, "..", "trace");
	const program = project.script("variable");
	const folder = join(project.tree, "..", "programs");
	mkdirSync(folder);
	for (const name of ["git-ls-files", "git-show", "git-status", "git", "git-remote-https"])
		cpSync(program, join(folder, name));
	const variables: Readonly<Record<string, string>> = {
		GIT_EXEC_PATH: folder,
		GIT_EXTERNAL_DIFF: program,
		GIT_PAGER: program,
		GIT_EDITOR: program,
		GIT_SSH: program,
		GIT_SSH_COMMAND: program,
		GIT_PROXY_COMMAND: program,
		GIT_ASKPASS: program,
		GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${program}' 'diff.external'='${program}'`,
		GIT_TRACE: trace,
		GIT_TRACE_SETUP: trace,
		GIT_TRACE2: trace,
		GIT_TRACE2_EVENT: trace,
		GIT_TRACE_PERFORMANCE: trace,
		GIT_COMMON_DIR: folder,
		GIT_OBJECT_DIRECTORY: folder,
		GIT_NAMESPACE: "other",
		GIT_LITERAL_PATHSPECS: "1",
		PAGER: program,
		EDITOR: program,
		SSH_ASKPASS: program,
	};
	const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
	try {
		for (const [name, value] of Object.entries(variables)) process.env[name] = value;
		assert.equal((await readRepoMap(project.tree))?.files, 3, "git still answers");
		await useGit(project);
	} finally {
		for (const [name, value] of before) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	}
	assert.equal(project.ran(), "");
	assert.ok(!existsSync(trace), "a trace would be added to any file of the user");
});

test("a clone does not trust itself by its .env file", () => {
	using project = new HostileProject();
	project.put(".weft/config.json", '{ "mode": "off" }');
	const mode = () => {
		const env = { PATH: process.env["PATH"] ?? "", HOME: join(project.tree, ".."), WEFT_TRUST: "1" };
		const text = execFileSync(process.execPath, [CLI, "config", "--json"], {
			cwd: project.tree,
			env,
			encoding: "utf8",
		});
		return (JSON.parse(text) as { settings: Record<string, { value: unknown }> }).settings["mode"]?.value;
	};
	assert.equal(mode(), "off", "the user trusts it for this run");
	project.put(".env", "WEFT_TRUST=1\n");
	assert.notEqual(mode(), "off");
});

test("a clone's .env file moves neither the log nor the settings nor the passwords, and names no server", () => {
	using project = new HostileProject();
	const user = join(project.tree, "..", "user");
	const evil = join(project.tree, "..", "evil");
	mkdirSync(user);
	mkdirSync(evil);
	const set = {
		XDG_CONFIG_HOME: evil,
		XDG_DATA_HOME: evil,
		PI_CODING_AGENT_DIR: evil,
		PGSERVICEFILE: join(project.tree, "service.conf"),
		PGPASSFILE: join(evil, "pass"),
	};
	project.put("service.conf", "[fleet]\nhost=127.0.0.1\nport=1\ndbname=of-the-clone\n");
	project.put(
		".env",
		Object.entries(set)
			.map(([name, value]) => `${name}=${value}\n`)
			.join(""),
	);
	const run = (...args: string[]) => {
		const env = { PATH: process.env["PATH"] ?? "", HOME: user, ...set };
		const { stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
			cwd: project.tree,
			env,
			encoding: "utf8",
		});
		return stdout + stderr;
	};
	run("config", "set", "fleet.url", "postgres://ann:word@127.0.0.1:1/x");
	assert.deepEqual(readdirSync(join(user, ".config", "weft")).sort(), ["config.json", "fleet.pgpass"]);
	run("config", "set", "fleet.url", "service=fleet");
	assert.doesNotMatch(run("fleet"), /of-the-clone/);
	run("log", "add", "--role", "user", "--text", "kept");
	run("trust");
	assert.ok(existsSync(join(user, ".local", "share", "weft")));
	assert.deepEqual(readdirSync(evil), []);
});

/** A commit as no git would make it, with names that lead elsewhere. */
function commitWithOddNames(project: HostileProject): void {
	const put = (type: string, bytes: Buffer | string) =>
		execFileSync("git", ["hash-object", "-t", type, "-w", "--literally", "--stdin"], {
			...{ cwd: project.tree, input: bytes, encoding: "utf8" },
		}).trim();
	const tree = (entries: readonly (readonly [mode: string, name: string, hash: string])[]) => {
		const parts = entries.flatMap(([mode, name, hash]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, "hex")]);
		return put("tree", Buffer.concat(parts));
	};
	const script = put("blob", `#!/bin/sh\necho planted >>'${project.marker}'\n`);
	const hooks = tree([["40000", "hooks", tree([["100755", "pre-commit", script]])]]);
	const beyond = tree([["100755", "planted.txt", script]]);
	const real = project
		.git("ls-tree", "HEAD")
		.split("\n")
		.map((line) => {
			const [, mode = "", hash = "", name = ""] = /^0*(\d+) \w+ ([0-9a-f]+)\t(.+)$/.exec(line) ?? [];
			return [mode, name, hash] as const;
		});
	const odd = [
		["40000", "..", beyond],
		["40000", ".git", hooks],
		["40000", ".GIT", hooks],
	] as const;
	const whole = tree([
		...odd,
		["100755", "../planted.txt", script],
		["100755", "/tmp/planted-by-a-commit.txt", script],
		...real,
	]);
	project.git("update-ref", "HEAD", project.git("commit-tree", whole, "-p", "HEAD", "-m", "odd"));
}

test("a rewind writes in its own folder alone, whatever the names in a commit are, and through no link", async () => {
	using project = new HostileProject();
	const { tree, engine } = project;
	const outside = join(tree, "..", "outside");
	const into = join(tree, "..", "into");
	mkdirSync(outside);
	commitWithOddNames(project);
	const agent = new EngineAgent(project, tree);
	await agent.bash("rm -rf a.txt");
	await agent.bash(`rm -rf deep && ln -s '${outside}' deep`);
	rmSync(join(tree, "deep"), { recursive: true, force: true });
	symlinkSync(outside, join(tree, "deep"));
	const odd = project.git("rev-parse", "HEAD");
	// Now the names are in the commit of that moment alone.
	project.git("update-ref", "HEAD", "HEAD~1");
	const options = { maxBytes: 1e9, now: Date.now, command: "weft rewind" };
	const open = () => openRewind(engine.log, { cwd: tree, root: tree, now: Date.now(), before: "rm -rf a.txt" });
	const real = ["a.txt", "deep/b.txt", ".gitattributes"];
	assert.deepEqual([...heldFiles({ folder: tree }, odd).keys()].sort(), real.sort(), "no other name reaches a rewind");
	for (const act of [() => open().apply(options), () => open().writeInto(into)]) {
		try {
			act();
		} catch (error) {
			assert.ok(error instanceof EngineError, String(error));
		}
	}
	const planted = globSync(["planted.txt", "outside/*", "into/planted.txt", "**/hooks/pre-commit"], {
		cwd: join(tree, ".."),
	});
	assert.deepEqual(planted, []);
	assert.ok(!existsSync("/tmp/planted-by-a-commit.txt"));
	assert.ok(!existsSync(join(tree, ".git/hooks/pre-commit")));
	assert.equal(existsSync(join(tree, "a.txt")), true, "the rest came back");
});

test("a folder of a clone that looks like a repository is none", async () => {
	using project = new HostileProject();
	const bare = join(project.tree, "bare");
	project.git("clone", "-q", "--bare", project.tree, bare);
	project.git("--git-dir", bare, "config", "core.fsmonitor", project.script("bare"));
	assert.equal(await readRepoMap(bare), null);
	await assert.rejects(readCommit(bare, "HEAD"), { code: "not-found" });
	assert.equal(project.ran(), "");
});

test("one place starts git", () => {
	tellCount("hostile repositories", { settings: Object.keys(HOSTILE).length, uses });
	const source = join(import.meta.dirname, "../../src");
	const starting = globSync("**/*.ts", { cwd: source }).filter(
		(name) => !name.endsWith(".test.ts") && /\(\s*"git",\s*\[/.test(readFileSync(join(source, name), "utf8")),
	);
	assert.deepEqual(starting, ["base/git/start.ts"]);
});
