/** Where the code of each command is. It is loaded when the command runs. */
import type { CommandName } from "./catalogue.ts";
import type { CommandModule } from "./frame.ts";

const log = () => import("./commands/log.ts");
const projectState = () => import("./commands/project-state.ts");
const context = () => import("./commands/context.ts");
const thread = () => import("./commands/thread.ts");
const history = () => import("./commands/history.ts");
const memory = () => import("./commands/memory.ts");
const fleet = () => import("./commands/fleet.ts");
const fleetUpkeep = () => import("./commands/fleet-upkeep.ts");
const cost = () => import("./commands/cost.ts");
const retention = () => import("./commands/retention.ts");
const health = () => import("./commands/health.ts");
const config = () => import("./commands/config.ts");

/** `weft mcp` starts without them: see `serve-mcp.ts`. */
export type ModuleName = Exclude<CommandName, "mcp">;

export const COMMAND_MODULES: { readonly [Name in ModuleName]: () => Promise<CommandModule<Name>> } = {
	status: () => import("./commands/status.ts"),
	sessions: () => import("./commands/sessions.ts"),
	log: () => log().then((family) => family.logCommand),
	state: () => projectState().then((family) => family.stateCommand),
	thread: () => thread().then((family) => family.threadCommand),
	"thread pin": () => thread().then((family) => family.threadPinCommand),
	"thread strike": () => thread().then((family) => family.threadStrikeCommand),
	"thread clear": () => thread().then((family) => family.threadClearCommand),
	diff: () => import("./commands/diff.ts").then((family) => family.diffCommand),
	read: () => import("./commands/read.ts").then((family) => family.readCommand),
	handover: () => thread().then((family) => family.handoverCommand),
	context: () => context().then((family) => family.contextCommand),
	request: () => context().then((family) => family.requestCommand),
	show: () => log().then((family) => family.showCommand),
	tree: () => history().then((family) => family.treeCommand),
	describe: () => history().then((family) => family.describeCommand),
	skills: () => projectState().then((family) => family.skillsCommand),
	inspect: () => import("./commands/inspect.ts"),
	memory: () => memory().then((family) => family.memoryCommand),
	"memory show": () => memory().then((family) => family.memoryCommand),
	"memory search": () => memory().then((family) => family.memorySearchCommand),
	"memory recall": () => memory().then((family) => family.memoryRecallCommand),
	"memory add": () => memory().then((family) => family.memoryAddCommand),
	"memory edit": () => memory().then((family) => family.memoryEditCommand),
	"memory forget": () => memory().then((family) => family.memoryForgetCommand),
	"memory why": () => memory().then((family) => family.memoryWhyCommand),
	"memory history": () => memory().then((family) => family.memoryHistoryCommand),
	"memory import": () => memory().then((family) => family.memoryImportCommand),
	fleet: () => fleet().then((family) => family.fleetCommand),
	"fleet grep": () => fleet().then((family) => family.fleetGrepCommand),
	"fleet failures": () => fleet().then((family) => family.fleetFailuresCommand),
	"fleet show": () => fleet().then((family) => family.fleetShowCommand),
	"fleet log": () => fleet().then((family) => family.fleetLogCommand),
	"fleet fetch": () => fleet().then((family) => family.fleetFetchCommand),
	"fleet forget": () => fleetUpkeep().then((family) => family.fleetForgetCommand),
	"fleet prune": () => fleetUpkeep().then((family) => family.fleetPruneCommand),
	"fleet answer": () => import("./commands/fleet-answer.ts"),
	"fleet migrate": () => fleetUpkeep().then((family) => family.fleetMigrateCommand),
	"fleet member": () => fleetUpkeep().then((family) => family.fleetMemberCommand),
	ask: () => import("./commands/ask.ts"),
	grep: () => import("./commands/grep.ts"),
	expand: () => history().then((family) => family.expandCommand),
	why: () => projectState().then((family) => family.whyCommand),
	report: () => import("./commands/report.ts"),
	trial: () => import("./commands/trial.ts"),
	cost: () => cost().then((family) => family.costCommand),
	cache: () => cost().then((family) => family.cacheCommand),
	replay: () => import("./commands/replay.ts"),
	prices: () => import("./commands/prices.ts"),
	stats: () => cost().then((family) => family.statsCommand),
	import: () => import("./commands/import.ts"),
	export: () => import("./commands/export.ts"),
	"log add": () => log().then((family) => family.logAddCommand),
	compact: () => history().then((family) => family.compactCommand),
	repo: () => projectState().then((family) => family.repoCommand),
	snapshot: () => retention().then((family) => family.snapshotCommand),
	sync: () => import("./commands/sync.ts"),
	prune: () => retention().then((family) => family.pruneCommand),
	rewind: () => import("./commands/rewind.ts"),
	forget: () => retention().then((family) => family.forgetCommand),
	rebuild: () => health().then((family) => family.rebuildCommand),
	repair: () => health().then((family) => family.repairCommand),
	init: () => import("./commands/init.ts"),
	run: () => import("./commands/run.ts"),
	config: () => config().then((family) => family.configCommand),
	"config set": () => config().then((family) => family.configSetCommand),
	trust: () => config().then((family) => family.trustCommand),
	doctor: () => health().then((family) => family.doctorCommand),
	verify: () => health().then((family) => family.verifyCommand),
	recover: () => health().then((family) => family.recoverCommand),
	hook: () => import("./commands/hook.ts"),
	resident: () => import("./commands/resident.ts"),
	proxy: () => import("./commands/proxy.ts"),
	conformance: () => import("./commands/conformance.ts"),
	completion: () => import("./commands/completion.ts"),
};
