/** In the environment of a sub-agent's Pi: the session that it works for. */
export const PARENT_VARIABLE = "WEFT_PARENT_SESSION";
