import fs from "node:fs";
import { expect, test } from "vitest";
import { ROLE_NAMES, ROLES } from "#domain/agent/roles.ts";
import { openHarbour, SITUATIONS } from "./briefed.ts";

const GOLDEN = "test/roadmap/briefs";
const fileOf = (name: string): string => `${name.replaceAll(/[^a-z-]+/g, "-")}.md`;

test("every role is briefed", () => {
  const briefed = new Set([...SITUATIONS.values()].map(({ action }) => action.role));
  expect(ROLE_NAMES.filter((role) => !briefed.has(role))).toEqual([]);
});

test("every brief that is kept is made", () => {
  expect(fs.readdirSync(GOLDEN)).toEqual([...SITUATIONS.keys()].map(fileOf).toSorted());
});

// `UPDATE=1` writes them anew: read the difference as what an agent will be told.
test.each([...SITUATIONS])("the brief of %s", async (name, situation) => {
  using ground = openHarbour();
  const { text, tokens } = await ground.brief(situation);
  const path = `${GOLDEN}/${fileOf(name)}`;
  if (process.env["UPDATE"]) fs.writeFileSync(path, text);
  expect(text).toBe(fs.readFileSync(path, "utf8"));
  expect(tokens).toBeLessThanOrEqual(ROLES[situation.action.role].budget);
});
