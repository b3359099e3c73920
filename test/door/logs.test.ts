import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

const start = (description: string): string[] => [
  "change",
  "start",
  description,
  "--type",
  "fix",
  "--size",
  "small",
  "--concurrent",
];

test("reports once that logs cannot be written, and continues", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  const logs = join(repository.path, ".sdd/logs");
  fs.mkdirSync(join(repository.path, ".sdd"));
  fs.writeFileSync(logs, "mine");
  const first = await house.run(...start("One"));
  const second = await house.run(...start("Two"));
  expect([first.code, first.err, second.code, second.err]).toEqual([
    0,
    "note: .sdd/logs/workflows.log cannot be written. .sdd/logs is not a folder. Your work is safe. Tenon adds the missing entries after you fix it.\n",
    0,
    "",
  ]);
  const { code, out } = await house.run("doctor");
  expect([code, out.split("\n").filter((line) => line.includes("logs"))]).toEqual([
    3,
    [
      "the logs in .sdd/logs\tfailed\t.sdd/logs is not a folder.",
      "next: Make them writable, or move them away (remove links): ls -la .sdd/logs",
    ],
  ]);
  fs.rmSync(logs);
  const mended = await house.run("doctor", "--repair");
  const log = fs.readFileSync(join(logs, "workflows.log"), "utf8");
  expect([mended.code, mended.out.includes("logs"), log.split("\n").map((line) => line.slice(23))]).toEqual([
    0,
    false,
    [
      '[INFO] [change] Spec: one, Action: Started, Description: "One"',
      '[INFO] [change] Spec: two, Action: Started, Description: "Two"',
      "",
    ],
  ]);
});

test("creates no logs when it only reads", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...start("One"));
  fs.rmSync(join(repository.path, ".sdd"), { recursive: true });
  for (const words of [["status"], ["validate"], ["doctor"]]) await house.run(...words);
  expect(fs.existsSync(join(repository.path, ".sdd"))).toBe(false);
});
