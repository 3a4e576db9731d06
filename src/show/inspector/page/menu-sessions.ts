/** The sessions of a project that the switcher and the search offer, by title. */
import { shortSession } from "../../../view/short-session.ts";
import type { MenuSession } from "../server/page-data.ts";
import { usePageData } from "./data.ts";
import { savedFile } from "./saved-file.ts";

/** Undefined until they are loaded, and in a saved file, which has one session. */
export function useMenuSessions(project: string): readonly MenuSession[] | undefined {
	const path = savedFile ? undefined : `/p/${project}/menu.json`;
	return usePageData<{ sessions: readonly MenuSession[] }>(path).data?.sessions;
}

export function nameOfSession({ session, title, host }: MenuSession): string {
	return [title ?? shortSession(session), host].filter((part) => part !== "").join(" · ");
}
