/** A plugin lies beside the agent and is updated apart from weft: hooks that another version made may miss what this one needs. */
import { ownVersion } from "../../base/file/package-file.ts";

/** For the user, once in a session. `update`: how the plugin is brought up to date. Undefined: they are of one version. */
export function pluginNotice(plugin: string | undefined, update: string): string | undefined {
	const own = ownVersion();
	if (plugin === undefined || plugin === own) return undefined;
	return `weft is ${own}, and its plugin here is ${plugin.slice(0, 40)}. ${update}`;
}
