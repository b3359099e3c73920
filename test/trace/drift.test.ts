import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { type Files, SILENT, SPEAKING } from "./refactorings.ts";
import { FILES } from "./repository.ts";
import { filesOf, traceStand, type TraceStand } from "./stand.ts";

const IDS = "AUTH-001,FR-001,FR-002,SHIP-001,METER-001,TIDE-001,DB-001";

describe("one repository in several languages", () => {
  let it: TraceStand;
  beforeAll(async () => {
    it = await traceStand(FILES);
    await it.accept(IDS);
  }, 60_000);
  afterAll(() => it[Symbol.dispose]());

  /** Does it, asks, and takes it back. */
  async function after(act: (files: Files) => void): Promise<string[]> {
    act(filesOf(it));
    try {
      return await it.spoken();
    } finally {
      git(it.root, "checkout", "-q", "--", ".");
      git(it.root, "clean", "-fdq", "--", "src", "tests", "shipping", "shop", "meter", "tide", "db");
    }
  }

  test("reports no drift right after an acceptance", async () => {
    expect(await it.drift()).toMatchObject({ passed: true, findings: [], requirements: 12, unaccepted: 0 });
  });

  test.each(SILENT)("reports nothing: %s", async (_, act) => {
    expect(await after(act)).toEqual([]);
  });

  test.each(SPEAKING)("reports drift: %s", async (_, act, said) => {
    expect(await after(act)).toEqual(said);
  });
});
