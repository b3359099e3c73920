import { expect, test } from "vitest";
import { handoverStand } from "./stand.ts";

const SAID = { summary: "Keep state in SQLite", reason: "Two stores drift" };

test("saves a decision to memory, like decisions of the pipelines", async () => {
  using stand = await handoverStand();
  await stand.run("handover.decide", SAID);
  const found = await stand.run("memory.search", { query: "SQLite stores" });
  expect(found["observations"]).toEqual([
    expect.objectContaining({
      title: SAID.summary,
      type: "decision",
      topic_key: expect.stringMatching(/^decision\/.+\/d1$/),
    }),
  ]);
});
