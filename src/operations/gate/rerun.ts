import type { Receipt } from "#domain/gate/receipt.ts";
import type { Rerun } from "#domain/gate/verification.ts";
import type { Engine } from "../engine.ts";

/** Runs what a receipt says was run once more, on the files as they are. */
export type RerunReceipt = (engine: Engine, receipt: Receipt) => Promise<readonly Rerun[]>;

/** Until something runs checks, nobody can say what they would say. */
export const rerunReceipt: RerunReceipt = async (_, { checks }) =>
  checks
    .filter(({ argv }) => argv !== undefined)
    .map(({ check }) => ({ check, passed: false, problem: "Nothing can be run yet." }));
