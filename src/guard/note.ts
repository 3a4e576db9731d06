/** The guard's remarks stand in results as all of ours do. */
export { withNotes, withoutNotes } from "../transcript/note.ts";
