/** How many sessions a report replays unless it is told otherwise. Apart, because every command line loads it. */
export const REPLAYED_SESSIONS = 10;
