export const UNSEALED_RECORD_REASON = "Tenon did not write it, for it has no seal: another tool is at work here.";
export const IMPORT_ADVICE = "See what can be taken over from another tool: tenon import";
