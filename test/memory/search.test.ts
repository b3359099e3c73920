import { expect, test } from "vitest";
import { breakGround } from "../context/ground.ts";

interface Found {
  readonly observations: readonly { readonly title: string; readonly type: string; readonly is_context?: boolean }[];
}

test("marks neighbours of a match as context and does not count them", async () => {
  using ground = breakGround();
  const saved = ["Buttons are blue", "Sessions expire after an hour", "The logo is round", "Tests run in parallel"];
  for (const title of saved) await ground.run("memory.save", { title, content: title });
  const { observations } = await ground.run<Found>("memory.search", { query: "when do sessions expire" });
  expect(observations.filter(({ is_context }) => !is_context).map(({ title }) => title)).toEqual([saved[1]]);
  expect(observations.length).toBeGreaterThan(1);
  const shown = await ground.shown("memory.search", { query: "when do sessions expire" });
  expect(shown).toMatch(/^Found 1 observation in \S+, and 3 saved beside it\.$/m);
  expect(shown).toContain("context #");
});

test("finds a decision record as a decision too", async () => {
  using ground = breakGround();
  const adr = { title: "Use PostgreSQL", context: "C", decision: "Rows", rationale: "R", standalone: true };
  await ground.run("adr.record", adr);
  await ground.run("memory.save", { title: "Use tabs", content: "Tabs", type: "decision" });
  const titles = async (query: string, type: string) =>
    (await ground.run<Found>("memory.search", { query, type })).observations.map(({ title }) => title);
  expect(await titles("postgresql", "decision")).toEqual([expect.stringContaining("Use PostgreSQL")]);
  expect(await titles("tabs", "adr")).toEqual([]);
});

test("updates a proposed decision with the same title, but not an accepted one", async () => {
  using ground = breakGround();
  const adr = { title: "Use PostgreSQL", context: "C", decision: "Rows", rationale: "R", standalone: true };
  interface Recorded {
    readonly adr: { readonly ref: string; readonly status: string };
  }
  await ground.run("adr.record", { ...adr, status: "proposed" });
  const accepted = await ground.run<Recorded>("adr.record", {
    ...adr,
    decision: "Rows and JSON",
    title: "use  postgresql",
  });
  expect(accepted.adr).toMatchObject({ ref: "ADR-0001", status: "accepted" });
  const { adrs } = await ground.run<{ adrs: object[] }>("adr.list", {});
  expect(adrs).toHaveLength(1);
  const again = await ground.run<Recorded>("adr.record", adr);
  expect(again.adr.ref).toBe("ADR-0002");
});
