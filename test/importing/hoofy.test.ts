import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { takePicture, repositoryWith } from "./source.ts";

test("reports the same next step everywhere while Hoofy uses sdd/, and writes nothing", async () => {
  using repository = repositoryWith("hoofy-0");
  using tenon = testHouse(repository.path);
  const before = takePicture(repository.path, ["."]);
  const said = {
    init: await tenon.run("init"),
    import: await tenon.run("import"),
    apply: await tenon.run("import", "--apply"),
    status: await tenon.run("status"),
  };
  const text = Object.entries(said).map(([name, { code, out, err }]) => `$ tenon ${name} (${code})\n${out}${err}`);
  await expect(text.join("\n").replaceAll(repository.path, "<root>")).toMatchFileSnapshot(
    "golden/hoofy-0.in-place.txt",
  );
  const { ".git/HEAD": _, ...files } = takePicture(repository.path, ["."]);
  expect(Object.keys(files).filter((path) => !path.startsWith(".git/"))).toEqual(
    Object.keys(before).filter((path) => !path.startsWith(".git/")),
  );
});

test("recognizes Hoofy by its changes alone", async () => {
  using repository = repositoryWith("hoofy-0");
  const { path: root } = repository;
  for (const name of fs.readdirSync(join(root, "sdd")).filter((each) => each.includes(".")))
    fs.rmSync(join(root, "sdd", name));
  using tenon = testHouse(root);
  expect((await tenon.run("init")).err).toMatch(/^error\[import\.in-the-way\]/);
  expect((await tenon.run("import", "--apply")).err).toMatch(/^error\[import\.in-the-way\]/);
  expect((await tenon.run("import")).out).toContain("hoofy: 6 files in sdd\n");
  fs.renameSync(join(root, "sdd"), join(root, "hoofy"));
  expect((await tenon.run("import", "hoofy", "--apply")).out).toContain("hoofy: 6 files in hoofy\n");
  expect(await tenon.run("init")).toMatchObject({ code: 0 });
});

test("does not take an unsealed change of Tenon for one of Hoofy", async () => {
  using repository = repositoryWith();
  using tenon = testHouse(repository.path);
  await tenon.run("change", "start", "Count parcels once", "--type", "fix", "--size", "small");
  const record = join(repository.path, "sdd/changes/count-parcels-once/change.json");
  const { checksum: _, ...rest } = JSON.parse(fs.readFileSync(record, "utf8")) as Record<string, unknown>;
  fs.writeFileSync(record, JSON.stringify(rest));
  expect((await tenon.run("import")).out).toContain("No files of another tool were found here.\n");
  expect(await tenon.run("init")).toMatchObject({ code: 0 });
});

test("imports a Hoofy folder that was moved aside, and validate passes", async () => {
  using repository = repositoryWith("hoofy-0");
  using tenon = testHouse(repository.path);
  git(repository.path, "add", ".");
  git(repository.path, "mv", "sdd", "hoofy");
  expect((await tenon.run("init")).code).toBe(0);
  const source = takePicture(repository.path, ["hoofy"]);
  const done = await tenon.run("import", "hoofy", "--apply");
  await expect(done.out).toMatchFileSnapshot("golden/hoofy-0.report.txt");
  expect(takePicture(repository.path, ["hoofy"])).toEqual(source);
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
  expect(fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8")).toContain("FR-001");
  const again = await tenon.run("import", "hoofy", "--apply", "--json");
  expect(JSON.parse(again.out)).toMatchObject({ counts: { taken: 0, carried: 0, before: 9 } });
});

test("imports the history and decisions into memory", async () => {
  using repository = repositoryWith("hoofy-0");
  using tenon = testHouse(repository.path);
  fs.renameSync(join(repository.path, "sdd"), join(repository.path, "hoofy"));
  await tenon.run("import", "hoofy", "--apply");
  const history = await tenon.run("memory", "search", "two scans from one press of the button");
  expect(history.out).toContain("A parcel scanned twice counts once");
  const decision = await tenon.run("memory", "search", "flat battery");
  expect(decision.out).toContain("Keep scans in a file");
});
