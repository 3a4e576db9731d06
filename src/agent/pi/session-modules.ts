/** All modules that a session with weft needs, behind one dynamic import. */
export { openEngine } from "../../engine.ts";
export { takePruneNotice } from "../../view/pruning.ts";
export { settingNotices } from "../live/setting-notices.ts";
export { registerCommands } from "./commands/register.ts";
export { HOOKS } from "./hooks.ts";
export { LivePi } from "./live.ts";
export { registerStatus } from "./status.ts";
export { registerSubagent } from "./subagent.ts";
export { registerTools } from "./tools.ts";
