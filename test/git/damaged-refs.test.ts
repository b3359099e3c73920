import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { stand } from "../workflow/stand.ts";

const DAMAGES: readonly (readonly [name: string, text: string])[] = [
  ["an empty file", ""],
  ["zeros", "\0".repeat(41)],
  ["half a hash", "1b30898f72"],
  ["the hash of a missing object", `${"12".repeat(20)}\n`],
];

test.each(DAMAGES)("doctor reports a snapshot ref with %s, and --repair removes it", async (_, text) => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor", id: "AUTH-001" });
  const ref = "refs/tenon/AUTH-001/9";
  const place = join(it.root, ".git", ref);
  fs.mkdirSync(dirname(place), { recursive: true });
  fs.writeFileSync(place, text);
  const found = (await it.run("workspace.doctor")) as unknown as { checks: { check: string; found: string }[] };
  expect(found.checks.find(({ check }) => check === "snapshots")?.found).toContain(`${ref}: damaged`);
  expect(fs.existsSync(place)).toBe(true);
  await it.run("workspace.doctor", { repair: true });
  expect(fs.existsSync(place)).toBe(false);
  expect(git(it.root, "for-each-ref", "refs/tenon")).toContain("refs/tenon/AUTH-001/1");
  git(it.root, "gc", "--quiet");
});
