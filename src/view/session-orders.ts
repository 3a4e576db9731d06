/** Apart from the views, because every command line loads it. */
export const SESSION_ORDERS = ["last", "cost", "requests", "agent"] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];
