import { expect, test } from "vitest";
import { isFolderIgnored } from "./workspace-foundation.ts";

test.each([
  [undefined, false, false],
  ["node_modules/\n", false, false],
  [".sdd/\n", true, false],
  ["/.sdd\n", true, false],
  ["/*\n!/src/\n", true, true],
  ["*\r\n!/sdd/\r\n", true, false],
  ["sdd\n", false, true],
  ["*.log\n/*.txt\n", false, false],
])("with %j git ignores .sdd/: %s, sdd/: %s", (text, isHidden, isLost) => {
  expect([isFolderIgnored(text, ".sdd"), isFolderIgnored(text, "sdd")]).toEqual([isHidden, isLost]);
});
