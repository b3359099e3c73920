import { expect, test } from "vitest";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { ActionAssignment } from "../../model/lead/lead-state.ts";
import { ASSIGNMENT_SPACE, loadCheckoutEntries } from "./lead-store.ts";

const assigned = {
  action: { id: "cart/gate/1", kind: "gate", feature: "cart" },
  session: "s1",
  at: "2026-01-31T12:00:00Z",
  base: null,
  estimate: 0,
  refusals: 0,
};
const createTree = (entries: Readonly<Record<string, unknown>>): StoreTree =>
  ({ kept: () => new Map(Object.entries(entries)) }) as unknown as StoreTree;

test("a ledger entry that does not fit its schema counts as lost", () => {
  const tree = createTree({
    "/here cart/gate/1": assigned,
    "/here cart/gate/2": { ...assigned, refusals: "none" },
    "/here cart/gate/3": { ...assigned, action: { id: "cart/gate/3", kind: "dance" } },
    "/there cart/gate/4": assigned,
  });
  const found = loadCheckoutEntries<ActionAssignment>(tree, ASSIGNMENT_SPACE, "/here");
  expect([...found]).toEqual([["cart/gate/1", assigned]]);
});
