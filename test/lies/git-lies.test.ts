import { describe, expect, test } from "vitest";
import * as change from "../change/stand.ts";
import { git } from "../kit/folder.ts";
import { FIRST_FILES, readRefusal } from "./first-files.ts";
import { fixHonestly, GIT_LIES, HONEST_GITS } from "./git-lies.ts";

const open = async (): Promise<change.ChangeStand> => {
  const at = change.openChangeStand(FIRST_FILES);
  await at.trust();
  git(at.root, "checkout", "-qb", "fix");
  await at.begin("fix", "small", ["The sum is wrong.\n", change.CONTEXT, change.TASKS]);
  at.commit("Begin the change");
  return at;
};

describe("at the end of a small fix, with tricks of git", () => {
  test.each(GIT_LIES)(
    "rejects: $lie",
    async ({ tell, message }) => {
      using at = await open();
      expect(await readRefusal(tell(at))).toContain(message);
    },
    120_000,
  );

  test.each(HONEST_GITS)(
    "passes: $honest",
    async ({ tell }) => {
      using at = await open();
      fixHonestly(at);
      tell(at);
      expect((await at.verify()).change).toMatchObject({ status: "completed" });
    },
    120_000,
  );
});
