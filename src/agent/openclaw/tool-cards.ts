/** The tools as a host lists them: names, words and schemas. What they do is loaded when one is called. */
import { TOOLS } from "../../tool/catalogue.ts";
import type { Tool } from "../../tool/types.ts";

export const TOOL_CARDS: Readonly<Record<string, Pick<Tool, "label" | "description" | "parameters">>> =
	Object.fromEntries(TOOLS.map((tool) => [tool.name, tool]));
