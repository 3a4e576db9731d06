/**
 * Publishes the package. A dry run unless `--yes` is given: it packs, writes the fields that depend on where the repository is,
 * and runs `npm publish --dry-run` on the result.
 *
 *   npm run release -- --repository OWNER/NAME [--yes] [--out FOLDER]
 *
 * The folder then also has the `server.json` for the MCP registry, whose own program publishes it. In a workflow of GitHub the
 * package carries provenance: a signed statement from which commit it was built.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");
/** Its limit in the MCP registry. */
const MAX_DESCRIPTION_LENGTH = 100;
const SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const SERVER_DESCRIPTION = "Search, fetch and ask about everything your coding agents did in this project.";

export interface PackageManifest {
	readonly name: string;
	readonly version: string;
	readonly pi: Readonly<Record<string, unknown>>;
	readonly [key: string]: unknown;
}

/** The package.json that is published. Scripts and development dependencies stay in the repository. */
export function publishedManifest(manifest: PackageManifest, repository: string): PackageManifest {
	const { scripts: _, devDependencies: __, allowScripts: ___, ...own } = manifest;
	const url = `https://github.com/${repository}`;
	return {
		...own,
		repository: { type: "git", url: `git+${url}.git` },
		homepage: `${url}#readme`,
		bugs: `${url}/issues`,
		mcpName: serverName(repository),
		pi: {
			...manifest.pi,
			image: `https://raw.githubusercontent.com/${repository}/main/docs/pictures/inspector-light.png`,
		},
		publishConfig: { access: "public" },
	} as PackageManifest;
}

/** The entry of weft's MCP server in the MCP registry. */
export function serverManifest({ name, version }: PackageManifest, repository: string): object {
	return {
		$schema: SERVER_SCHEMA,
		name: serverName(repository),
		title: "weft",
		description: SERVER_DESCRIPTION.slice(0, MAX_DESCRIPTION_LENGTH),
		repository: { url: `https://github.com/${repository}`, source: "github" },
		version,
		packages: [
			{
				registryType: "npm",
				identifier: name,
				version,
				runtimeHint: "npx",
				transport: { type: "stdio" },
				packageArguments: [{ type: "positional", value: "mcp" }],
			},
		],
	};
}

/** The registry takes names of this form from the owner of the repository. */
function serverName(repository: string): string {
	return `io.github.${repository}`;
}

/** Why this checkout must not be published. */
export function problemsOf(version: string, changelog: string, isClean: boolean): string[] {
	return [
		...(isClean ? [] : ["There are changes that are not committed."]),
		...(changelog.includes(`## [${version}]`) ? [] : [`CHANGELOG.md has no section '## [${version}]'.`]),
	];
}

function publish(): void {
	const { values } = parseArgs({
		options: { repository: { type: "string" }, yes: { type: "boolean" }, out: { type: "string" } },
	});
	const { repository = "", yes = false } = values;
	if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error("Name the repository: --repository OWNER/NAME");
	const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageManifest;
	const isClean = run("git", ["status", "--porcelain"], ROOT) === "";
	const problems = problemsOf(version, readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), isClean);
	for (const problem of problems) console.error(problem);
	if (yes && problems.length > 0) throw new Error("Nothing was published.");

	const folder = values.out ?? mkdtempSync(join(tmpdir(), "weft-publish-"));
	try {
		run("npm", ["pack", "--pack-destination", folder], ROOT);
		const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
		run("tar", ["xzf", tarball ?? "", "-C", folder], folder);
		const own = join(folder, "package");
		const path = join(own, "package.json");
		const manifest = JSON.parse(readFileSync(path, "utf8")) as PackageManifest;
		writeJson(path, publishedManifest(manifest, repository));
		writeJson(join(folder, "server.json"), serverManifest(manifest, repository));
		const provenance = process.env["GITHUB_ACTIONS"] ? ["--provenance"] : [];
		console.log(run("npm", ["publish", ...(yes ? provenance : ["--dry-run"])], own));
		console.log(yes ? `Published ${manifest.name} ${version}.` : "This was a dry run. --yes publishes.");
		if (values.out !== undefined) console.log(`For the MCP registry: cd ${folder} && mcp-publisher publish`);
	} finally {
		if (values.out === undefined && existsSync(folder)) rmSync(folder, { recursive: true });
	}
}

function run(command: string, args: readonly string[], cwd: string): string {
	return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

function writeJson(path: string, value: object): void {
	writeFileSync(path, `${JSON.stringify(value, null, "\t")}\n`);
}

if (import.meta.main) publish();
