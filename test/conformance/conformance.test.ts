/**
 * The official suite against this server. Where it calls a tool or a resource by a name of its own, one of ours stands
 * in for it (`mount.ts`), so that what is judged is this product. `scenarios.json` says what passes, and why the rest
 * does not apply: a scenario that begins to pass, or ceases to, fails here.
 */
import { expect, test } from "vitest";
import { createMcpServer } from "#doors/mcp/mcp-server.ts";
import { selectTools } from "#doors/mcp/tool-table.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { mount } from "./mount.ts";
import scenarios from "./scenarios.json" with { type: "json" };
import { type Outcome, runSuite } from "./suite.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

test.each(REVISIONS)("conforms to %s in everything that it offers", async (revision) => {
  using repository = temporaryRepository();
  await using mounted = await mountTenon(repository.path, repository.path);
  const outcomes = await runSuite(mounted.url, ["--requirements", revision]);
  const expected = scenarios[revision];
  const inPart: Readonly<Record<string, { readonly without: readonly string[] }>> = expected.inPart;

  expect(passing(outcomes)).toEqual(expected.passes);
  const without = Object.keys(inPart).map((name) => [name, summarizeOutcome(outcomes[name])] as const);
  expect(Object.fromEntries(without)).toEqual(mapValues(inPart, (part) => part.without));
  const decided = [...expected.passes, ...Object.keys(inPart), ...Object.values(expected.doesNotApply).flat()];
  expect(Object.keys(outcomes).toSorted()).toEqual(decided.toSorted());
  // Even what does not apply is answered in messages that fit the protocol's schema.
  expect(Object.keys(outcomes).filter((name) => outcomes[name]?.failed.includes("wire-schema-valid"))).toEqual([]);
});

test("asks a client for its roots as the protocol requires", async () => {
  using repository = temporaryRepository();
  await using mounted = await mountTenon(repository.path, undefined);
  const { passes } = scenarios["asking for roots"];
  const runs = passes.map((name) => runSuite(mounted.url, ["--scenario", name, "--spec-version", "2026-07-28"]));
  expect(passing(Object.assign({}, ...(await Promise.all(runs))))).toEqual(passes);
});

async function mountTenon(root: string, given: string | undefined) {
  const tenon = testHouse(root);
  // Its id is 123: the suite looks for that number in what it reads.
  await tenon.run("change", "start", "123", "--type", "fix", "--size", "small");
  await tenon.run("change", "advance", "--content", "Login fails with an empty password.");
  const { house } = tenon;
  const mounted = await mount(() =>
    createMcpServer(house.mcpHouse(given, true), async () => selectTools(["all"]), house.surface),
  );
  return {
    url: mounted.url,
    async [Symbol.asyncDispose]() {
      await mounted[Symbol.asyncDispose]();
      house.close();
    },
  };
}

/** Those with nothing held against them and at least one check of their own, besides that of every message's schema. */
function passing(outcomes: Readonly<Record<string, Outcome>>): string[] {
  return Object.entries(outcomes)
    .filter(
      ([, outcome]) =>
        summarizeOutcome(outcome).length === 0 && outcome.passed.some((id) => id !== "wire-schema-valid"),
    )
    .map(([name]) => name)
    .toSorted();
}

const summarizeOutcome = (outcome: Outcome | undefined): string[] =>
  [...(outcome?.failed ?? []), ...(outcome?.warned ?? [])].toSorted();

const mapValues = <T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
