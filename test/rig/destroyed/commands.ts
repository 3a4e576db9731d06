/**
 * Random command lines that overwrite, move or remove files: git in its ways, tools of the shell, archives, scripts,
 * formatters, and commands that are killed half-way. The same seed gives the same lines.
 */

export interface CommandPlace {
	/** Files and folders to choose from, relative to the folder. */
	readonly files: readonly string[];
	readonly folders: readonly string[];
	readonly isGit: boolean;
}

export interface DestructiveCommand {
	readonly line: string;
	/** The agent's process ends with it: no result is ever seen. */
	readonly isUnseen: boolean;
}

type Choose = <T>(from: readonly T[]) => T;
type Template = (place: { readonly p: string; readonly q: string; readonly d: string; readonly e: string }) => string;

/** Of these, p and q are files, d and e folders, quoted. */
const GIT: readonly Template[] = [
	() => "git reset -q --hard",
	() => "git reset -q --hard HEAD~1",
	() => "git reset -q --merge",
	() => "git reset -q --keep HEAD~1",
	({ p }) => `git checkout -q -- ${p}`,
	() => "git checkout -q .",
	() => "git checkout -qf other",
	({ d }) => `git checkout -q HEAD~1 -- ${d}`,
	({ p }) => `git restore ${p}`,
	() => "git restore --staged --worktree .",
	({ d }) => `git restore --source=HEAD~1 ${d}`,
	() => "git switch -qf other",
	() => "git switch -q --discard-changes -C third HEAD~1",
	() => "git stash -q",
	() => "git stash -qu && git stash drop -q",
	() => "git stash -qa; git stash clear",
	() => "git stash -q; git stash pop -q",
	({ p }) => `git stash push -q -- ${p}`,
	() => "git clean -fdq",
	() => "git clean -fdxq",
	() => "git clean -fdXq",
	() => "git clean -ffdxq",
	({ d }) => `git rm -rfq ${d}`,
	({ p }) => `git rm -fq ${p}`,
	() => "git rm -rfq .",
	({ p, q }) => `git mv -f ${p} ${q}`,
	() => "git worktree remove --force linked",
	() => "git worktree remove --force ../beside",
	() => "git read-tree -u --reset HEAD",
	() => "git checkout-index -fa",
	() => "git merge -q -X theirs --no-edit other",
	() => "git rebase -q other || git rebase --abort",
	() => "git revert --no-edit HEAD || git revert --abort",
	() => "git commit -qam wip && git reset -q --hard HEAD~1",
	() => "git add -A && git commit -qm all && git reset -q --hard HEAD~1",
	() => "git submodule deinit -qf module",
	({ d }) => `git sparse-checkout set ${d}; git sparse-checkout disable`,
	({ d }) => `git -C ${d} checkout -q -- .`,
	({ d }) => `cd ${d} && git clean -fdxq .. && git checkout -q ..`,
	() => "git diff > ../none.diff; git apply -R ../none.diff; rm -f ../none.diff",
	() => "git rebase -q --autostash other || git rebase --abort",
	() => "git worktree add -qf ../side-$$ HEAD; git worktree remove --force ../side-$$; git clean -fdq",
	() => "git ls-files -z | xargs -0 rm -f",
	() => "git ls-files -o -z | xargs -0 rm -rf",
	() => "git reset -q --hard HEAD~1 && git reflog expire --expire=now --all && git gc -q --prune=now",
];

const SHELL: readonly Template[] = [
	({ p }) => `rm ${p}`,
	({ p, q }) => `rm -f ${p} ${q}`,
	({ d }) => `rm -rf ${d}`,
	() => "rm -rf ./*",
	() => 'rm -rf "$PWD"/*',
	({ d }) => `cd ${d} && rm -rf ../*`,
	({ p }) => `unlink ${p}`,
	({ p }) => `shred -u ${p}`,
	({ p }) => `chmod 000 ${p}; rm -f ${p}`,
	({ p, q }) => `mv -f ${p} ${q}`,
	({ d, e }) => `mv ${d}/* ${e}/`,
	({ d }) => `mv ${d} gone && rm -rf gone`,
	({ p }) => `mv ${p} ../moved-away`,
	({ p, q }) => `cp -f ${p} ${q}`,
	({ d, e }) => `cp -rf ${d}/. ${e}/`,
	({ p }) => `cp -f /dev/null ${p}`,
	({ p, q }) => `install -m 600 ${p} ${q}`,
	({ p, q }) => `ln -sf ${p} ${q}`,
	({ p, q }) => `ln -f ${p} ${q}`,
	({ p }) => `sed -i 's/[a-m]/#/g' ${p}`,
	() => "grep -rlI --exclude-dir=.git e . | head -20 | tr '\\n' '\\0' | xargs -0 sed -i 1d",
	({ p }) => `perl -pi -e 's/.*//s' ${p}`,
	({ p }) => `gzip -qf ${p}; rm -f ${p}.gz`,
	({ p }) => `(sleep 0.05; rm -f ${p}) & wait`,
	({ p, q }) => `mv nowhere ${p} || cp ${q} ${p}`,
	() => "mkdir -p .empty && rsync -a --delete --exclude .git .empty/ ./ || rm -rf ./*",
	({ p }) => `truncate -s 3 ${p}`,
	({ p }) => `dd if=/dev/zero of=${p} bs=7 count=3 status=none`,
	({ p }) => `: > ${p}`,
	({ p }) => `echo over >| ${p}`,
	({ p, q }) => `tee ${p} < ${q} > /dev/null`,
	({ d, e }) => `tar cf - -C ${d} . | tar xf - -C ${e}`,
	({ d }) => `tar czf kept.tgz --remove-files ${d}; rm -f kept.tgz`,
	({ d }) => `zip -qrm kept.zip ${d} -x '.git/*'; rm -f kept.zip`,
	() => "find . -name '*.txt' -delete",
	() => "find . -path ./.git -prune -o -type f -newer .gitignore -print | xargs -d '\\n' rm -f",
	({ d }) => `find ${d} -type f -exec rm {} +`,
	() => "find . -path ./.git -prune -o -type f -exec truncate -s 0 {} +",
	({ d }) => `find ${d} -depth -delete`,
	() => 'for f in *; do [ -f "$f" ] && : > "$f"; done',
	({ d }) => `for f in ${d}/*; do mv "$f" "$f.bak" && rm -rf "$f.bak"; done`,
	({ p }) => `eval "$(printf 'rm -f %s' ${p})"`,
	({ d }) => `T=${d}; rm -rf "$T"`,
	() => "rm -rf .env private .[a-f]*",
	() => "rm -rf ../sibling",
	() => "rm -rf .git",
	() => "rm -rf .git && rm -rf ./*",
	() => 'cd .. && rm -rf "$OLDPWD"',
	() => "find . -delete",
];

const SCRIPTS: readonly Template[] = [
	() => "sh scripts/reset.sh",
	() => "make -s clean",
	() => "sh scripts/format.sh",
	() => "make -s format",
	({ d }) => `python3 -c 'import shutil, sys; shutil.rmtree(sys.argv[1])' ${d}`,
	({ p }) => `python3 - ${p} <<'E'\nimport sys\nopen(sys.argv[1], "w").write("by a script")\nE`,
	({ p }) => `perl -e 'unlink $ARGV[0]' ${p}`,
	() => "node -e \"for (const f of fs.readdirSync('.')) if (f !== '.git') fs.rmSync(f, { recursive: true })\"",
	() => "perl -e 'unlink glob \"*\"'",
	({ d }) => `sh -c 'rm -rf "$1"' sh ${d}`,
	() => `bash -c "$(echo ${Buffer.from("rm -rf src notes*").toString("base64")} | base64 -d)"`,
	({ p }) => `trap 'rm -f ${p.replaceAll("'", "'\\''")}' EXIT; true`,
	({ p }) => `ed -s ${p} <<'E'\n1d\nw\nq\nE`,
	() => "ls > list; xargs -d '\\n' rm -rf < list",
];

/** Killed half-way. */
const INTERRUPTED: readonly Template[] = [
	() =>
		"timeout -s KILL 0.03 sh -c 'find . -path ./.git -prune -o -type f -print | while read -r f; do rm \"$f\"; done'",
	() => "timeout -s KILL 0.03 sh -c 'for f in src/* *; do : > \"$f\"; done'",
	({ d }) => `timeout -s KILL 0.02 tar czf kept.tgz --remove-files ${d}`,
	() => "timeout -s KILL 0.02 make -s format",
];
const INTERRUPTED_GIT: readonly Template[] = [
	() => "timeout -s KILL 0.02 git stash -qu; rm -f .git/index.lock",
	() => "timeout -s KILL 0.02 git reset -q --hard HEAD~1; rm -f .git/index.lock .git/HEAD.lock .git/refs/heads/*.lock",
	() => "timeout -s KILL 0.02 git clean -fdxq",
];

const UNSEEN_SHARE = 0.15;
const FALLBACK = "notes.txt";

export function makeCommand(random: () => number, { files, folders, isGit }: CommandPlace): DestructiveCommand {
	const choose: Choose = (from) => from[Math.floor(random() * from.length)]!;
	const kinds = isGit
		? [GIT, GIT, GIT, SHELL, SHELL, SCRIPTS, INTERRUPTED, INTERRUPTED_GIT]
		: [SHELL, SHELL, SCRIPTS, INTERRUPTED];
	const template = choose(choose(kinds));
	const file = () => quote(files.length === 0 ? FALLBACK : choose(files));
	const folder = () => quote(folders.length === 0 ? "src" : choose(folders));
	const line = template({ p: file(), q: file(), d: folder(), e: folder() });
	return { line, isUnseen: random() < UNSEEN_SHARE };
}

/** `./` before it, so that no name is taken for an option. */
function quote(path: string): string {
	return `'./${path.replaceAll("'", "'\\''")}'`;
}
