import { expect, test } from "vitest";
import { isTraceId, splitTraceId, requireTraceId } from "#kernel/model/ids/trace-id.ts";
import { findRecordProblem } from "#kernel/model/record-schema.ts";
import {
  type TraceAcceptance,
  createAcceptanceSchema,
  sortUniqueSymbols,
  mergeAcceptances,
} from "./trace-acceptance.ts";

test.each([
  ["AUTH-001", { spec: "AUTH-001" }],
  ["FR-003", { spec: "FR-003" }],
  ["AUTH-001.AC-2", { spec: "AUTH-001", criterion: "AC-2" }],
  ["user-login.S1.AC2", { spec: "user-login", criterion: "S1.AC2" }],
])("%s names a traced symbol", (id, parts) => {
  expect(splitTraceId(requireTraceId(id))).toEqual(parts);
});

test.each([
  "",
  "auth-001",
  "AUTH-01",
  "AUTH-001.",
  "AUTH-001.AC-2.json",
  "../AUTH-001",
  "user-login",
  "AUTH-001\n",
  `A-${"1".repeat(99)}`,
])("%j names no symbol", (text) => {
  expect(isTraceId(text)).toBe(false);
  expect(() => requireTraceId(text)).toThrow(expect.objectContaining({ code: "trace.bad-id" }));
});

const GOOD = {
  id: "AUTH-001",
  spec_hash: "0123456789abcdef",
  symbols: [{ ref: "login", path: "src/login.ts", hash: "0123456789abcdef", role: "code" }],
  commit: "0".repeat(40),
  at: "2026-01-31T12:00:00Z",
  by: "default",
  reason: "Read",
  schema: 1,
  rev: 1,
};

test.each([
  [{}, undefined],
  [{ spec_hash: undefined, commit: undefined, symbols: [] }, undefined],
  [{ id: "AUTH-002" }, "id"],
  [{ spec_hash: "no hash" }, "spec_hash"],
  [{ symbols: {} }, "symbols"],
  [{ symbols: [{ ...GOOD.symbols[0], role: "doc" }] }, "symbols"],
  [{ symbols: Array.from({ length: 5_001 }, () => GOOD.symbols[0]) }, "symbols"],
  [{ commit: "HEAD" }, "commit"],
  [{ at: "yesterday" }, "at"],
  [{ by: 1 }, "by"],
  [{ reason: "x".repeat(4_001) }, "reason"],
])("rejects a record with %j in %s", (change, field) => {
  const said = findRecordProblem(createAcceptanceSchema("AUTH-001"), { ...GOOD, ...change });
  expect(said).toBe(field && `its field "${field}" is missing or wrong`);
});

test("keeps symbols once, in one order, without other content", () => {
  const [one] = GOOD.symbols as unknown as TraceAcceptance["symbols"];
  if (!one) throw new Error("The report is missing.");
  const other = { ...one, path: "src/a.ts", line: 3 };
  expect(sortUniqueSymbols([one, other, one])).toEqual([{ ...one, path: "src/a.ts" }, one]);
});

const record = (change: object): TraceAcceptance => ({ ...GOOD, ...change }) as unknown as TraceAcceptance;
const [early, late] = [record({ at: "2026-01-01T00:00:00Z", rev: 3 }), record({ at: "2026-02-01T00:00:00Z", rev: 2 })];
const other = record({ symbols: [], rev: 4 });

test.each([
  ["the same on both sides", early, early, late, { at: late.at, rev: 4 }],
  ["new on both sides, and equal", undefined, late, early, { at: late.at, rev: 4 }],
  ["changed on our side only", early, other, late, { symbols: [], rev: 5 }],
  ["changed on their side only", early, late, other, { symbols: [], rev: 5 }],
  ["changed on both sides", early, record({ spec_hash: "ffffffff" }), other, undefined],
  ["new on both sides, and different", undefined, early, other, undefined],
])("%s", (_, base, ours, theirs, merged) => {
  const found = mergeAcceptances(base, ours, theirs);
  expect([found]).toMatchObject([merged]);
});
