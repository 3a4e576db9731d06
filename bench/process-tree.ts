/**
 * The processor time of a program and of every process that it started, also of those that nobody waits for: a process of
 * Perl adopts them (PR_SET_CHILD_SUBREAPER of Linux), and waits for all but those that outlive the program by design.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;
const SUBREAPER_CALL: Partial<Record<NodeJS.Architecture, number>> = { x64: 157, arm64: 167 };

/** Prints the processor time of the children in seconds, and leaves the exit status of the first. */
const ADOPTER = `
use POSIX ":sys_wait_h";
my ($call, $stays, @command) = @ARGV;
syscall($call, 36, 1, 0, 0, 0) == 0 or die "prctl";
my $child = fork // die "fork";
if (!$child) {
	open(STDOUT, ">", "/dev/null");
	open(STDERR, ">", "/dev/null");
	exec { $command[0] } @command or exit 127;
}
my $status;
for (my $left = 1_000; $left > 0;) {
	my $pid = waitpid(-1, defined $status ? WNOHANG : 0);
	if ($pid == $child) { $status = $?; next }
	next if $pid > 0;
	last if $pid < 0 || !grep { !stays($_) } children();
	select(undef, undef, undef, 0.01);
	$left--;
}
printf "%.2f", (times)[2] + (times)[3];
exit($status >> 8 || $status & 127);
sub children { open(my $list, "<", "/proc/$$/task/$$/children") or return; split " ", <$list> // "" }
sub stays { open(my $file, "<", "/proc/$_[0]/cmdline") or return 0; local $/; (<$file> // "") =~ /\\0$stays\\0/ }
`;

export interface TreeRun {
	readonly code: number | null;
	readonly cpuMs: number;
}

/** `stays`: a word of the command line of those that are not waited for, nor counted. */
export async function runTree(
	command: readonly string[],
	{ cwd, env, stays }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly stays: string },
): Promise<TreeRun> {
	const call = SUBREAPER_CALL[process.arch];
	if (process.platform !== "linux" || call === undefined) throw new Error("This benchmark needs Linux.");
	const child = spawn("perl", ["-e", ADOPTER, String(call), stays, ...command], {
		cwd,
		env,
		stdio: ["ignore", "pipe", "inherit"],
	});
	let out = "";
	child.stdout.on("data", (chunk) => {
		out += chunk;
	});
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	return { code, cpuMs: Number(out) * 1_000 };
}

/** Of processes that still run, with their children that have ended. */
export function cpuOf(pids: readonly number[]): number {
	const ticks = pids.map((pid) => {
		const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(/\) (?=\S )/);
		const spent = fields.split(" ").slice(11, 15).map(Number);
		return spent.reduce((sum, each) => sum + each, 0);
	});
	return (ticks.reduce((sum, each) => sum + each, 0) * 1_000) / TICKS_PER_SECOND;
}
