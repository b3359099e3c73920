import { readBootId } from "#adapters/workspace/boot.ts";
import type { ApplicationHost } from "../../src/assembly.ts";
import { testHouse } from "./house.ts";

/** The house of a process that is one of many: its clocks are real and its ids are nobody else's. */
export function ownHouse(root: string): ApplicationHost {
  return testHouse(root, {
    clock: { now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z") },
    steadyClock: { boot: readBootId(), nowMs: () => Number(process.hrtime.bigint() / 1_000_000n) },
    newId: () => crypto.randomUUID(),
  }).house;
}
