import { expect, test } from "vitest";
import * as change from "../change/stand.ts";
import { FIRST_FILES } from "./first-files.ts";
import { endHonestCarrier, HONEST_CARRIERS } from "./honest-carriers.ts";

test.each(HONEST_CARRIERS)("$honest: the change ends", async (each) => {
  using at = change.openChangeStand({ ...FIRST_FILES, ...each.before });
  await at.trust();
  expect((await endHonestCarrier(at, each)).problems ?? []).toEqual([]);
  await at.must("change", "archive", "add-right");
  at.commit("Done");
  const { findings } = await at.ci();
  const asked = findings.split("\n").filter((line) => line !== "" && !each.asks?.some((part) => line.includes(part)));
  expect(asked).toEqual([]);
});
