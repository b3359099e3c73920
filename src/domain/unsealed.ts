export const UNSEALED = "Tenon did not write it, for it has no seal: another tool is at work here.";
export const TAKE_OVER = "See what can be taken over from another tool: tenon import";
