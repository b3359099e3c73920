import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChangeStand } from "../change/stand.ts";
import { HONEST_RUNS, openLockedProject, RUN_LIES } from "./run-lies.ts";

let at: ChangeStand;
beforeEach(async () => void (at = await openLockedProject()), 60_000);
afterEach(() => at[Symbol.dispose]());

describe("in a project with packages from a lock file", () => {
  test.each(RUN_LIES)(
    "$lie: found by ci --run only",
    async ({ tell, message }) => {
      await tell(at);
      at.commit("Done");
      expect((await at.ci()).findings).not.toContain(" broken: ");
      const { code, findings } = await at.ci("--run");
      expect([code, findings]).toEqual([1, expect.stringContaining(message)]);
    },
    120_000,
  );

  test.each(HONEST_RUNS)(
    "$honest: passes ci --run --strict",
    async ({ tell }) => {
      await tell(at);
      at.commit("Done");
      expect(await at.ci("--run")).toEqual({ code: 0, findings: "" });
    },
    120_000,
  );
});
