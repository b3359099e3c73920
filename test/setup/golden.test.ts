import { expect, test } from "vitest";
import { CLIENT_IDS, SETUP_CLIENTS } from "#onboarding/model/setup/client-catalog.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { differenceBetween, fillHome, takePicture } from "./home.ts";

const HOMES = [
  ["empty", () => undefined],
  ["filled", fillHome],
] as const;

const CASES = CLIENT_IDS.flatMap((client) => HOMES.map(([home, fill]) => ({ client, home, fill })));

test.each(CASES)("sets up $client in a repository that is $home, and removes it", async ({ client, home, fill }) => {
  using folder = temporaryRepository();
  const root = folder.path;
  fill(root);
  const before = takePicture(root);
  using house = testHouse(root);
  expect(await house.run("setup", client)).toMatchObject({ code: 0, err: "" });
  const after = takePicture(root);
  await expect(differenceBetween(before, after)).toMatchFileSnapshot(`golden/${client}-${home}.txt`);
  expect(JSON.parse((await house.run("setup", client, "--json")).out)).toMatchObject({ files: [], kept: [] });
  expect(takePicture(root)).toEqual(after);
  expect(await house.run("setup", client, "--remove")).toMatchObject({ code: 0, err: "" });
  expect(takePicture(root)).toEqual(before);
});

test.each(HOMES)("sets up all clients at once in a repository that is %s, and removes them", async (_, fill) => {
  using folder = temporaryRepository();
  const root = folder.path;
  fill(root);
  const before = takePicture(root);
  using house = testHouse(root);
  expect(await house.run("setup", "--all")).toMatchObject({ code: 0, err: "" });
  const after = takePicture(root);
  const { clients } = JSON.parse((await house.run("setup", "--json")).out) as {
    clients: { id: string; set_up: boolean }[];
  };
  expect(clients.filter(({ set_up }) => !set_up).map(({ id }) => id)).toEqual(["claude"]);
  await house.run("setup", "--all");
  expect(takePicture(root)).toEqual(after);
  // What clients share stays until the last of them is gone.
  for (const client of CLIENT_IDS.toReversed()) await house.run("setup", client, "--remove");
  expect(takePicture(root)).toEqual(before);
});

const USERS = CLIENT_IDS.filter((id) => {
  const { server, rules, commands, hooks } = SETUP_CLIENTS[id];
  return [server?.files, rules?.files, commands?.folder, hooks?.files].some((places) => places?.user !== undefined);
});

test("sets up the user's home only on request, and leaves the repository alone", async () => {
  using folder = temporaryRepository();
  using home = temporaryFolder();
  using data = temporaryFolder();
  fillHome(home.path);
  const before = takePicture(home.path);
  using house = testHouse(folder.path, { home: home.path, dataFolder: data.path });
  await house.run("setup", "codex");
  expect(takePicture(home.path)).toEqual(before);
  await house.run("setup", "--remove");
  expect(await house.run("setup", ...USERS, "--user")).toMatchObject({ code: 0, err: "" });
  const after = takePicture(home.path);
  await expect(differenceBetween(before, after)).toMatchFileSnapshot("golden/user.txt");
  await house.run("setup", ...USERS, "--user");
  expect(takePicture(home.path)).toEqual(after);
  expect(await house.run("setup", "--user", "--remove")).toMatchObject({ code: 0, err: "" });
  expect(takePicture(home.path)).toEqual(before);
  expect(takePicture(folder.path)).toEqual({});
});

test("sets up the user's home without a workspace", async () => {
  using folder = temporaryFolder();
  using home = temporaryFolder();
  using data = temporaryFolder();
  using house = testHouse(folder.path, { home: home.path, dataFolder: data.path });
  expect(await house.run("setup", "kiro", "--user")).toMatchObject({ code: 0, err: "" });
  expect((await house.run("setup", "kiro")).err).toMatch(/^error\[workspace\.not-found\]/);
});
