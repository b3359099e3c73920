/** Why a record cannot be used that Tenon never wrote. */
export const UNSEALED = "Tenon did not write it, for it has no seal: another tool is at work here.";
/** What to do about that. */
export const TAKE_OVER = "See what can be taken over from another tool: tenon import";
