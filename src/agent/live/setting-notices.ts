/** What the user should know about the settings when weft starts in an agent. The same words for every agent. */
import { relative } from "node:path";
import { type ReadOptions, type ResolvedSettings, readSettings } from "../../settings/resolve.ts";
import { filesOfProject } from "../../view/settings.ts";
import type { AgentPort } from "../port.ts";

/** One notice for each mistake in the settings, and one for each of the project's own files that does not count. */
export function settingNotices(
	{ trust }: AgentPort,
	places: Omit<ReadOptions, "trusted">,
	{ problems, ignored }: Pick<ResolvedSettings, "problems" | "ignored">,
): string[] {
	const mistakes = problems.map(({ message }) => message);
	if (ignored.length === 0) return mistakes;
	// Name the settings that are ignored, so that the user sees why they have no effect.
	const files = filesOfProject(ignored, readSettings({ ...places, trusted: true }));
	const unused = files.map(({ file, settings }) => {
		const what = settings.length === 0 ? "It sets nothing" : `It would set ${settings.join(", ")}`;
		const name = relative(places.projectRoot, file);
		return `${name} is ignored: ${trust.lacking}. ${what}. ${trust.remedy} lets it count.`;
	});
	return [...mistakes, ...unused];
}
