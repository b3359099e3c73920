import { expect, test } from "vitest";
import { parseCommitIds, listCommitSpecs } from "./id-mentions.ts";

test.each<[subject: string, trailers: string, specs: readonly string[]]>([
  ["feat(AUTH-001): add the endpoint", "", ["AUTH-001"]],
  ["feat(AUTH-001, AUTH-002)!: add both", "", ["AUTH-001", "AUTH-002"]],
  ["fix(BUG-042,AUTH-001): the token", "", ["BUG-042", "AUTH-001"]],
  ["feat(auth): begin AUTH-001", "", ["AUTH-001"]],
  ["AUTH-001: begin", "", ["AUTH-001"]],
  ["Merge branch 'feature/AUTH-001'", "", ["AUTH-001"]],
  ['Revert "feat(AUTH-001): add"', "", ["AUTH-001"]],
  ["feat(AUTH-001.AC-2): refuse", "", ["AUTH-001"]],
  ["Mend the login", "Spec: AUTH-001", ["AUTH-001"]],
  ["Mend the login", "Refs: AUTH-001, BUG-042\nSpec: AUTH-001", ["AUTH-001", "BUG-042"]],
  ["Mend the login", "Signed-off-by: AUTH-001 <a@b>\nReviewed-by: BUG-042", []],
  ["feat(AUTH-001): add", "Spec: BUG-042", ["AUTH-001", "BUG-042"]],
  ["feat(AUTH-0010): another", "", ["AUTH-0010"]],
  ["feat(AUTH-001-2): no id", "", []],
  ["Hash with SHA-256 as RFC-2119 says", "", []],
  ["feat(SHA-256): a spec that is called so", "", ["SHA-256"]],
  ["", "", []],
])("%j with %j names %j", (subject, trailers, specs) => {
  expect(listCommitSpecs({ subject, trailers })).toEqual(specs);
});

test("lists each criterion once", () => {
  const said = parseCommitIds({ subject: "feat(AUTH-001.AC-1, AC-2): log in", trailers: "Spec: AUTH-001.AC-2" });
  expect(said).toEqual([
    { spec: "AUTH-001", criterion: "AC-1" },
    { spec: "AUTH-001", criterion: "AC-2" },
  ]);
});

test("reads a long message in a short time", () => {
  const subject = `feat(${"AUTH-001, ".repeat(50_000)}`;
  expect(listCommitSpecs({ subject, trailers: `${"A-".repeat(100_000)}: x` })).toEqual(["AUTH-001"]);
});
