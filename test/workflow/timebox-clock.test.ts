import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

test("a timebox counts work, not what the user's clock shows", async () => {
  using repository = temporaryRepository();
  const [wall, steady] = [{ time: "2026-01-31T12:00:00Z" }, { ms: 0 }];
  const clock = { now: () => wall.time, steady: () => ({ boot: "boot", ms: steady.ms }) };
  using house = testHouse(repository.path, { clock });
  const readTimebox = async () => {
    const { workflow } = JSON.parse((await house.run("workflow", "status", "RES-001", "--json")).out) as {
      workflow: { timebox: { spent: string } };
    };
    return workflow.timebox.spent;
  };
  expect((await house.run("research", "Which database", "--id", "RES-001", "--timebox", "1h")).code).toBe(0);
  [wall.time, steady.ms] = ["2026-01-31T09:00:00Z", 20 * 60_000];
  expect(await readTimebox()).toBe("20 min");
  wall.time = "2026-02-02T09:00:00Z";
  expect((await house.run("lock", "claim", "src/a.ts", "--id", "RES-001")).code).toBe(0);
  steady.ms += 20 * 60_000;
  expect(await readTimebox()).toBe("40 min");
  expect((await house.run("lock", "claim", "src/b.ts", "--id", "RES-001")).code).toBe(0);
  steady.ms += 21 * 60_000;
  const late = await house.run("lock", "claim", "src/c.ts", "--id", "RES-001");
  expect(late.err).toContain("The 1 h for RES-001 are used up.");
});
