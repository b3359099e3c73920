import { expect, test } from "vitest";
import * as change from "../change/stand.ts";
import { git } from "../kit/folder.ts";
import { END_LIES, FOUND_END_LIES } from "./end-lies.ts";
import { CARRIER_LIES, FOUND_CARRIER_LIES } from "./requirement-lies.ts";
import { FIRST_FILES, readRefusal } from "./first-files.ts";

async function openTrusted(): Promise<change.ChangeStand> {
  const at = change.openChangeStand(FIRST_FILES);
  await at.trust();
  git(at.root, "checkout", "-qb", "fix");
  return at;
}

test.each([...END_LIES, ...CARRIER_LIES])("rejects at the end of its own change: $lie", async ({ tell, message }) => {
  using at = await openTrusted();
  expect(await readRefusal(tell(at))).toContain(message);
});

test.each([...FOUND_END_LIES, ...FOUND_CARRIER_LIES])(
  "detects with ci --strict after its own change: $lie",
  async ({ tell, message }) => {
    using at = await openTrusted();
    await tell(at);
    at.commit("Done");
    const { code, findings } = await at.ci();
    expect(code).toBe(1);
    expect(findings).toContain(message);
  },
);
