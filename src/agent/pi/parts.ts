/**
 * Everything that a session needs once weft is wanted, behind one import: in the bundle it is one file, and a file takes
 * longer to find and open than to read.
 */
export { openEngine } from "../../engine.ts";
export { TOOLS } from "../../tool/catalogue.ts";
export { takePruneNotice } from "../../view/pruning.ts";
export { filesOfProject } from "../../view/settings.ts";
export { registerCommands } from "./commands/register.ts";
export { HOOKS } from "./hooks.ts";
export { Live } from "./live.ts";
export { registerStatus } from "./status.ts";
export { registerSubagent, SUBAGENT_TOOL } from "./subagent.ts";
export { registerTools } from "./tools.ts";
