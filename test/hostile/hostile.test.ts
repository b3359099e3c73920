import fs from "node:fs";
import { expect, test } from "vitest";
import { formatAttackTable, openVictim } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { CRAFTED_FILES } from "./crafted-files.ts";
import { GIT_ATTACKS } from "./git-attacks.ts";

const ALL = [...ATTACKS, ...CRAFTED_FILES, ...GIT_ATTACKS];

test.each(ALL)("$attack: $answer", async ({ play }) => {
  using at = openVictim();
  expect(await play(at)).toBe("");
});

const PAGE = "docs/design/hostile.md";
const START = "<!-- generated from test/hostile -->\n\n";

test("the page of attacks contains the table of the tests; UPDATE=1 writes it", () => {
  const [head = "", table] = fs.readFileSync(PAGE, "utf8").split(START);
  const isUpdate = process.env["UPDATE"] !== undefined;
  if (isUpdate) fs.writeFileSync(PAGE, `${head}${START}${formatAttackTable(ALL)}`);
  expect(isUpdate ? formatAttackTable(ALL) : table).toBe(formatAttackTable(ALL));
});
