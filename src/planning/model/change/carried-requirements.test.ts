import { expect, test } from "vitest";
import { findUncarriedProblems, listUncodedRequirements, type RequirementCarrier } from "./carried-requirements.ts";

const ADDED = { op: "added", id: "FR-002", text: "The API shall sort." } as const;
const MODIFIED = { ...ADDED, op: "modified" } as const;
const CODE = { path: "src/sort.ts", isTest: false };
const TEST = { path: "tests/sort.test.ts", isTest: true };
const UNTOUCHED = new Set(["src/other.ts"]);

test.each<[string, typeof ADDED | typeof MODIFIED, RequirementCarrier[], ReadonlySet<string> | undefined, RegExp[]]>([
  ["nothing", ADDED, [], undefined, [/^FR-002 is added, but no code carries it\./]],
  ["only a test", ADDED, [TEST], undefined, [/no code carries it/]],
  ["only code", ADDED, [CODE], undefined, [/no test carries it/]],
  ["code and a test", ADDED, [CODE, TEST], UNTOUCHED, []],
  ["a test that did not run", ADDED, [CODE, { ...TEST, hasPassed: false }], undefined, [/ran and passed: tests\/sort/]],
  ["two tests, one of which passed", ADDED, [CODE, TEST, { ...TEST, hasPassed: false }], undefined, []],
  [
    "files that the change left alone",
    MODIFIED,
    [CODE, TEST],
    UNTOUCHED,
    [/nothing that carries it changed: src\/sort/],
  ],
  ["a changed test", MODIFIED, [CODE, TEST], new Set([TEST.path]), []],
  ["files outside git", MODIFIED, [CODE, TEST], undefined, []],
])("judges a requirement that is implemented by %s", (_, owed, carriers, changed, problems) => {
  const found = findUncarriedProblems([owed], new Map([[owed.id, carriers]]), changed);
  expect(found.map(({ problem }) => problem)).toEqual(problems.map((each) => expect.stringMatching(each) as string));
});

test.each<[string, string | undefined]>([
  ["- FR-002: not in code: the carrier signs a contract", "the carrier signs a contract"],
  ["FR-002 is not in code, because a person does it", "a person does it"],
  ["- **FR-002**: no test: the runner needs a printer", "the runner needs a printer"],
  ["| FR-002 | not in code | the carrier signs it |", "the carrier signs it"],
  ["- FR-002: not in code", undefined],
  ["- FR-002: not in code: n/a n/a n/a", undefined],
  ["- FR-003: not in code: the carrier signs a contract", undefined],
])("reads a reason from %s", (line, reason) => {
  expect(listUncodedRequirements(`## Evidence\n\n${line}\n`, [ADDED])).toEqual(
    reason === undefined ? [] : [{ ...ADDED, reason }],
  );
});
