import { describe, expect, test } from "vitest";
import type { ProjectIdentity } from "#kernel/model/project-identity.ts";
import type { MemoryRecords } from "../operations/ports/memory.ts";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { finds, type MakeMemory, saveOne } from "./place.contract.ts";

/** Which project something belongs to. */
export function placing(name: string, make: MakeMemory): void {
  describe(`${name}: projects`, () => {
    projects(make);
  });
}

const named = (name: string): ProjectIdentity => ({ name, places: [] });
const at = (name: string, ...places: string[]): ProjectIdentity => ({ name, places });
const ofRemote = (owner: string, name: string): ProjectIdentity => ({
  name,
  owner,
  places: [`remote:github.com/${owner}/${name}`, `folder:/home/${owner}/${name}/.git`],
});

async function names(memory: MemoryRecords, ...refs: readonly ProjectIdentity[]): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const ref of refs) found.push(await memory.projectName(ref));
  return found;
}

/** What the statistics say of each: its name, how many it has, what it is called besides. */
async function known(memory: MemoryRecords): Promise<unknown[]> {
  const { projects: all } = await memory.stats();
  return all.map(({ name, observations, aliases }) => [name, observations, aliases]);
}

function projects(make: MakeMemory): void {
  test.each(["MyApp", "my-app", "my_app", "My App", "MYAPP", "myapp"])("%s is my-app", async (said) => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { project: named("MyApp"), title: "Kept" });
    expect(await finds(memory, "kept", { project: named(said) })).toEqual(["Kept"]);
    const saved = await saveOne(memory, { project: named(said), title: "More" });
    expect([saved.observation.project, await known(memory)]).toEqual(["my-app", [["my-app", 2, []]]]);
  });

  test("shows an unknown project as empty, with its future name", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { title: "Kept" });
    const nobody = named("nobody");
    expect([await memory.projectName(nobody), await finds(memory, "kept", { project: nobody })]).toEqual([
      "nobody",
      [],
    ]);
    expect([await memory.recent({ project: nobody }, 9), await known(memory)]).toEqual([[], [["shop", 1, []]]]);
  });

  test("finds a renamed project by its folder, under both names", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { project: ofRemote("acme", "shop"), title: "Before" });
    const renamed = { ...ofRemote("acme", "shop"), name: "store" };
    await saveOne(memory, { project: renamed, title: "After" });
    expect(await known(memory)).toEqual([["shop", 2, ["store"]]]);
    expect(await names(memory, renamed, named("shop"), named("store"))).toEqual(["shop", "shop", "shop"]);
  });

  test("finds a moved project by its remote, and one without a remote by its folder", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { project: ofRemote("acme", "shop") });
    const moved = at("shop", "remote:github.com/acme/shop", "folder:/elsewhere/.git");
    await saveOne(memory, { project: moved, title: "Moved" });
    expect(await names(memory, at("x", "folder:/elsewhere/.git"), at("y", "folder:/home/acme/shop/.git"))).toEqual([
      "shop",
      "shop",
    ]);
  });

  test("separates two remotes of one name by owner, then by number", async () => {
    using place = make();
    const memory = place.open();
    const refs = [ofRemote("acme", "shop"), ofRemote("umbrella", "shop")];
    const third = { name: "shop", places: ["remote:example.com/shop"] };
    for (const [i, project] of [...refs, third].entries()) await saveOne(memory, { project, title: `Number ${i}` });
    expect(await names(memory, ...refs, third, named("shop"))).toEqual(["shop", "umbrella-shop", "shop-2", "shop"]);
    expect(await finds(memory, "number", { project: ofRemote("umbrella", "shop") })).toEqual(["Number 1"]);
    expect(await known(memory)).toEqual([
      ["shop", 1, []],
      ["shop-2", 1, []],
      ["umbrella-shop", 1, []],
    ]);
  });

  test("joins folders of one name, and keeps the project when one gets a remote", async () => {
    using place = make();
    const memory = place.open();
    const folders = [at("shop", "folder:/one/shop"), at("shop", "folder:/two/shop")];
    for (const [i, project] of folders.entries()) await saveOne(memory, { project, title: `Number ${i}` });
    await saveOne(memory, { project: ofRemote("acme", "shop"), title: "Number 2" });
    expect(await known(memory)).toEqual([["shop", 3, []]]);
    expect(await names(memory, ofRemote("umbrella", "shop"), at("other", "folder:/two/shop"))).toEqual([
      "umbrella-shop",
      "shop",
    ]);
  });

  test("separates a second folder of the same name while the first one exists", async () => {
    using place = make();
    const memory = place.open();
    using first = temporaryFolder();
    await saveOne(memory, { project: at("shop", `folder:${first.path}`), title: "Private" });
    const other = at("shop", "folder:/two/shop");
    expect([await finds(memory, "private", { project: other }), await names(memory, other)]).toEqual([[], ["shop-2"]]);
    first[Symbol.dispose]();
    expect(await finds(memory, "private", { project: other })).toEqual(["Private"]);
  });

  test.each([
    ["a project of another folder", ["folder:/home/shop/.git"]],
    ["a project without a folder", []],
  ])("does not open %s through a name in a repository's settings", async (_, places) => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { project: at("private-shop", ...places), title: "Private" });
    const hostile = { ...at("private-shop", "folder:/tmp/x/.git"), isNamedBySettings: true } as const;
    expect(await finds(memory, "private", { project: hostile })).toEqual([]);
    await saveOne(memory, { project: hostile, title: "Hostile" });
    expect(await names(memory, hostile, named("private-shop"))).toEqual(["private-shop-2", "private-shop"]);
    expect(await finds(memory, "hostile", { project: named("private-shop") })).toEqual([]);
  });

  test("predicts the name that a project gets later", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { project: ofRemote("acme", "shop") });
    const before = await memory.projectName(ofRemote("umbrella", "shop"));
    await saveOne(memory, { project: ofRemote("umbrella", "shop") });
    expect([before, await memory.projectName(ofRemote("umbrella", "shop"))]).toEqual([
      "umbrella-shop",
      "umbrella-shop",
    ]);
  });

  test("does not record a project that is only read", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory);
    await memory.sessions(ofRemote("acme", "new"), 9);
    await memory.recent({ project: ofRemote("acme", "new") }, 9);
    expect(await known(memory)).toEqual([["shop", 1, []]]);
  });
}
