/** The tools, and the text about them in the system prompt. */
import { decide } from "./decide.ts";
import { lcmDescribe } from "./describe.ts";
import { lcmExpand } from "./expand.ts";
import { lcmGrep } from "./grep.ts";
import { thread } from "./thread.ts";
import type { Tool } from "./types.ts";

export const HISTORY_TOOLS: readonly Tool[] = [lcmGrep, lcmDescribe, lcmExpand];

/** All tools that an agent gives its model. */
export const TOOLS: readonly Tool[] = [...HISTORY_TOOLS, decide, thread];

/** Byte-identical in every request: no counts, no times, nothing of the session. */
export const HISTORY_PREAMBLE = `

## Lossless history

Nothing that was said or done in this session is gone. What no longer stands in the
conversation has been summarised, and every byte of it can be fetched:

- lcm_grep finds words or patterns in all earlier messages
- lcm_describe shows which stretches of work there are and how they hang together
- lcm_expand gives back what an id names: a summary, a message, an output

When you are missing something from earlier, look there before you say that you do
not know it, and before you do the work again.`;
