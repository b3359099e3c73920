import { expect, test } from "vitest";
import type { Observation } from "./memory-records.ts";
import { mergeCandidates, mergeLatest } from "./merged-memory.ts";

const observation = (id: number, updated_at = "2026-01-31T12:00:00Z"): Observation => ({
  id,
  project: "shop",
  session: "s",
  type: "manual",
  title: "A title",
  content: "A text.",
  scope: "project",
  namespace: "",
  revision: 1,
  duplicates: 1,
  created_at: updated_at,
  updated_at,
});

const NOTHING = { observations: [], total: 0, terms: [], repaired: [] };

test("counts the texts of both stores, and the holders of each term", () => {
  const own = { ...NOTHING, observations: [observation(1)], total: 10, terms: [{ term: "a", holders: 2, share: 1 }] };
  const terms = [
    { term: "a", holders: 3, share: 1 },
    { term: "b", holders: 1, share: 0.4 },
  ];
  const team = { ...NOTHING, observations: [observation(10_000_001)], total: 5, terms };
  expect(mergeCandidates(own, team)).toEqual({
    observations: [observation(1), observation(10_000_001)],
    total: 15,
    terms: [
      { term: "a", holders: 5, share: 1 },
      { term: "b", holders: 1, share: 0.4 },
    ],
    repaired: [],
  });
});

test.each([
  ["reports a typo that neither store contains", 3, [{ from: "orcahrd", to: "orchard" }], 1],
  ["reports a typo where the other store is empty", 0, [], 1],
  ["reports no typo that one store contains", 3, [], 0],
])("%s", (_, total, repaired, count) => {
  const own = { ...NOTHING, total: 3, repaired: [{ from: "orcahrd", to: "orchard" }] };
  expect(mergeCandidates(own, { ...NOTHING, total, repaired }).repaired).toHaveLength(count);
});

test("lists the latest of both stores, the own first where times are equal", () => {
  const own = [observation(1, "2026-01-31T12:00:02Z"), observation(2, "2026-01-31T12:00:00Z")];
  const team = [observation(10_000_001, "2026-01-31T12:00:02Z"), observation(10_000_002, "2026-01-31T12:00:01Z")];
  expect(mergeLatest(own, team, 3).map(({ id }) => id)).toEqual([1, 10_000_001, 10_000_002]);
});
