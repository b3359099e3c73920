import { expect, test } from "vitest";
import { isSafeSqliteVersion } from "./sqlite-version.ts";

test.each([
  ["3.51.3", true],
  ["3.53.4", true],
  ["3.100.0", true],
  ["4.0.0", true],
  ["3.51.2", false],
  ["3.9.9", false],
  ["0", false],
])("SQLite %s is safe: %s", (version, isSound) => {
  expect(isSafeSqliteVersion(version)).toBe(isSound);
});
