import { expect, test } from "vitest";
import { requireTraceId } from "#kernel/model/ids/trace-id.ts";
import type { TracedSymbol } from "./trace-acceptance.ts";
import {
  type RequirementState,
  compareSymbols,
  type DriftItem,
  isSeverityReached,
  judgeDrift,
  extractSymbolName,
  moveRenamedPairs,
} from "./code-drift.ts";

/** `src/a.ts#login=1`, or with a `!` before it for a test. */
function symbol(said: string): TracedSymbol {
  const [, test_, path = "", ref = "", hash = ""] = /^(!?)([^#]*)#(.*)=(\w+)$/.exec(said) ?? [];
  return { path, ref, hash, role: test_ === "!" ? "test" : "code" };
}

const say = ({ kind, severity, was, is }: DriftItem): string =>
  [severity, kind, was && `${was.path}#${was.ref}`, is && `> ${is.path}#${is.ref}`].filter(Boolean).join(" ");

const BINDING: RequirementState = { isBinding: true, spec_hash: "aa" };

function drift(before: string, after: string, covered = BINDING, id = "AUTH-001.AC-1"): string[] {
  const [symbols = [], now = []] = [before, after].map((each) => each.split(" ").filter(Boolean).map(symbol));
  return judgeDrift({ id: requireTraceId(id), spec_hash: "aa", symbols }, now, covered).map(say);
}

test.each<[what: string, before: string, after: string, said: string[]]>([
  ["nothing", "a.ts#f=1", "a.ts#f=1", []],
  ["another order", "a.ts#f=1 a.ts#g=2", "a.ts#g=2 a.ts#f=1", []],
  ["another file", "a.ts#f=1", "b/c.ts#f=1", []],
  ["another class around it", "a.ts#A.f=1", "a.ts#B.f=1", []],
  ["two equal symbols, one of them moved", "a.ts#f=1 b.ts#f=1", "a.ts#f=1 c.ts#f=1", []],
  ["changed", "a.ts#f=1", "a.ts#f=2", ["high changed a.ts#f > a.ts#f"]],
  ["moved and changed", "a.ts#f=1", "b.ts#f=2", ["high changed a.ts#f > b.ts#f"]],
  ["one of two equal symbols removed", "a.ts#f=1 b.ts#f=1", "a.ts#f=1", ["high removed b.ts#f"]],
  ["the same hash under another name", "a.ts#f=1", "a.ts#g=1", ["low renamed a.ts#f > a.ts#g"]],
  ["an added symbol beside it", "a.ts#f=1", "a.ts#f=1 a.ts#g=2", ["low added > a.ts#g"]],
  ["code that became a test", "a.ts#f=1", "!a.ts#f=1", ["high changed a.ts#f > a.ts#f"]],
  ["the only test changed", "!t.ts#f=1", "!t.ts#f=2", ["high changed t.ts#f > t.ts#f"]],
  ["one of two tests changed", "!t.ts#f=1 !t.ts#g=2", "!t.ts#f=3 !t.ts#g=2", ["medium changed t.ts#f > t.ts#f"]],
  ["a removed test, and a new one", "!t.ts#f=1", "!t.ts#g=2", ["high removed t.ts#f", "low added > t.ts#g"]],
  ["all symbols removed", "a.ts#f=1 !t.ts#f=2", "", ["high removed a.ts#f", "high removed t.ts#f"]],
])("%s", (_, before, after, said) => {
  expect(drift(before, after)).toEqual(said);
});

test("ranks unaccepted code lower, and also a test of a whole spec", () => {
  expect(drift("a.ts#f=1", "a.ts#f=2", { isBinding: false, spec_hash: "aa" })).toEqual([
    "medium changed a.ts#f > a.ts#f",
  ]);
  expect(drift("!t.ts#f=1", "", BINDING, "AUTH-001")).toEqual(["medium removed t.ts#f"]);
});

test("reports a changed spec only where the code did not change", () => {
  expect(drift("a.ts#f=1", "a.ts#f=1", { isBinding: true, spec_hash: "bb" })).toEqual(["medium spec-changed"]);
  expect(drift("a.ts#f=1", "a.ts#f=1", { isBinding: true })).toEqual(["medium spec-changed"]);
  expect(drift("a.ts#f=1", "a.ts#f=2", { isBinding: true, spec_hash: "bb" })).toEqual(["high changed a.ts#f > a.ts#f"]);
});

test("reports a detected rename neither as removed nor as new", () => {
  const [was, is] = [symbol("a.ts#f=1"), symbol("a.ts#g=2")];
  const difference = compareSymbols([was], [is]);
  expect(difference).toMatchObject({ removed: [was], added: [is] });
  expect(moveRenamedPairs(difference, [{ was, is }])).toEqual({
    changed: [],
    renamed: [{ was, is }],
    removed: [],
    added: [],
  });
});

test.each([
  ["Session.login~2", "login"],
  ["login", "login"],
  ["suite > lets in. Always.", "lets in. Always."],
  ["", "src/a.sql"],
])("reports %s as %s", (ref, name) => {
  expect(extractSymbolName({ ref, path: "src/a.sql" })).toBe(name);
});

test("a severity is at least as severe as itself", () => {
  expect([
    isSeverityReached("high", "medium"),
    isSeverityReached("medium", "medium"),
    isSeverityReached("low", "medium"),
  ]).toEqual([true, true, false]);
});
