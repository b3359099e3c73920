import { expect, test } from "vitest";
import { testHouse } from "../kit/house.ts";
import { repositoryWith } from "./source.ts";

test("reviews an imported design that is complete, even of features marked as done", async () => {
  using repository = repositoryWith("sync-sdd");
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  expect(await tenon.run("roadmap", "run")).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^note: Nothing of this repository is trusted: [^\n]*\n$/),
  });
  const { out } = await tenon.run("next", "--peek", "--json");
  const { actions, notes } = JSON.parse(out) as { actions: readonly unknown[]; notes: readonly string[] };
  // order-list builds on user-login, whose first review may still change what it offers.
  expect(actions).toEqual([]);
  expect(notes).toEqual(["The review user-login/design begins with the next call without peek."]);
});
