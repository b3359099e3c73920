import { readBootId } from "#kernel/adapters/machine-environment.ts";
import type { ApplicationHost } from "#app/application-host.ts";
import { testHouse } from "./house.ts";

/** The house of a process that is one of many: its clocks are real and its ids are nobody else's. */
export function ownHouse(root: string): ApplicationHost {
  return testHouse(root, {
    clock: { now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z") },
    steadyClock: { boot: readBootId(), nowMs: () => Number(process.hrtime.bigint() / 1_000_000n) },
    newId: () => crypto.randomUUID(),
  }).house;
}
