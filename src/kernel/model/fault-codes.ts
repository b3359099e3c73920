import meanings from "./fault-codes.json" with { type: "json" };

/** Every fault code with its meaning. `docs/reference/faults.md` is generated from this table. */
export const FAULT_MEANINGS = meanings;

export type FaultCode = keyof typeof FAULT_MEANINGS;
