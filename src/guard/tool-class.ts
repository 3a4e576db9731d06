/** What the guard has to do with a tool, by its class. */
import { type ToolClass, toolClass } from "../session/tool-class.ts";
import type { GuardCall, GuardSettings } from "./types.ts";

export function classOf(call: Pick<GuardCall, "tool">, settings: Pick<GuardSettings, "toolClasses">): ToolClass {
	return toolClass(call.tool, settings.toolClasses);
}

/** Replaces text that it names: fails by itself where that text is not there. */
export function isPatchEdit(of: ToolClass): boolean {
	return of === "edit" || of === "patch";
}

/** After it, any file may be another: the call does not say which. */
export function mayChangeAnything(of: ToolClass): boolean {
	return of === "shell" || of === "agent" || of === "other";
}
