import { describe, expect, test } from "vitest";
import { joinReceipts, digest, createTestReceipt } from "../../../../test/kit/receipts.ts";
import { readReceiptChain, type Receipt } from "./receipt-chain.ts";
import {
  formatCommandKey,
  compareCheckReruns,
  type KnownReceipts,
  findNewestReceipt,
  findRerunnableReceipt,
  formatVerificationSummary,
  type VerifiedChain,
  verifyReceiptChain,
} from "./receipt-verification.ts";

const TREE = "a".repeat(40);
const OLDER = "f".repeat(40);
const chain = (...receipts: Receipt[]) => readReceiptChain(joinReceipts(...receipts), digest, "AUTH-001");
const evidence = (...receipts: Receipt[]): KnownReceipts => ({
  id: "AUTH-001",
  path: "sdd/receipts/AUTH-001.jsonl",
  chain: chain(...receipts),
  lost: 0,
  isCommitted: true,
});
const { tree: _, ...outside } = createTestReceipt(1);

describe("comparison with the current files", () => {
  test.each<[string, Receipt[], string | undefined, [matching: number, earlier: number, failed: number], unknown]>([
    ["none", [], TREE, [0, 0, 0], undefined],
    ["matches a receipt of the current files", [createTestReceipt(1)], TREE, [1, 0, 0], true],
    ["counts a receipt of other files as earlier", [createTestReceipt(1, { tree: OLDER })], TREE, [0, 1, 0], false],
    [
      "matches an older receipt before one of other files",
      [createTestReceipt(1), createTestReceipt(2, { tree: OLDER })],
      TREE,
      [1, 1, 0],
      false,
    ],
    [
      "counts a gate that failed",
      [createTestReceipt(1), createTestReceipt(2, { passed: false })],
      TREE,
      [1, 0, 1],
      true,
    ],
    ["counts a receipt without files as earlier", [outside], TREE, [0, 1, 0], false],
    ["matches no receipt without git", [outside], undefined, [0, 1, 0], false],
  ])("%s", (_name, receipts, tree, counts, matches) => {
    const { matching, earlier, failed, newest, problems, findings } = verifyReceiptChain(evidence(...receipts), tree);
    expect([[matching, earlier, failed], newest?.matches, problems, findings]).toEqual([counts, matches, [], []]);
  });
});

test.each<[string, Partial<KnownReceipts>, Pick<VerifiedChain, "finished" | "problems" | "findings">]>([
  ["requires no receipt from a workflow in progress", {}, { finished: false, problems: [], findings: [] }],
  [
    "requires from a finished workflow a receipt of each gate with checks",
    { owed: ["gate-3-implement", "gate-4-verify"] },
    {
      finished: true,
      problems: [],
      findings: ["It is finished, but no receipt shows that gate-4-verify passed."],
    },
  ],
  [
    "does not accept a failed gate as the required receipt",
    { owed: ["gate-3-implement"], chain: chain(createTestReceipt(1, { passed: false })) },
    {
      finished: true,
      problems: [],
      findings: ["It is finished, but no receipt shows that gate-3-implement passed."],
    },
  ],
  [
    "rejects a chain whose last receipts were removed on this machine",
    { lost: 1, isCommitted: false },
    { finished: false, problems: [{ problem: "1 receipt that this machine wrote here is not in it." }], findings: [] },
  ],
  [
    "only reports missing receipts if the chain is as committed",
    { lost: 2 },
    { finished: false, problems: [], findings: ["2 receipts that this machine wrote here are not in it."] },
  ],
])("%s", (_name, more, expected) => {
  const { finished, problems, findings } = verifyReceiptChain({ ...evidence(createTestReceipt(1)), ...more }, TREE);
  expect({ finished, problems, findings }).toEqual(expected);
});

test("runs again the newest passed gate that ran a check", () => {
  const looked = createTestReceipt(3, { checks: [{ check: "spec-valid", status: "passed" }] });
  const failed = createTestReceipt(4, { passed: false });
  expect(findRerunnableReceipt(chain(createTestReceipt(1), createTestReceipt(2), looked, failed))?.id).toBe(
    "AUTH-001.R-2",
  );
  expect(findRerunnableReceipt(chain(looked))).toBeUndefined();
  expect(formatCommandKey(createTestReceipt(1))).toBe('[["tests",".",["npx","vitest","run"]]]');
});

test.each([
  ["confirms a check that still passes", [{ check: "tests", passed: true }], [{ check: "tests", passed: true }]],
  [
    "reports a check that fails now",
    [{ check: "tests", passed: false, problem: "1 failed." }],
    [{ check: "tests", passed: false, problem: "1 failed." }],
  ],
  [
    "reports a check that was not run again",
    [{ check: "lint", passed: true }],
    [{ check: "tests", passed: false, problem: "It was not run again." }],
  ],
])("%s", (_name, results, expected) => {
  expect(compareCheckReruns(createTestReceipt(1), results)).toEqual(expected);
});

test("lists two items of one name separately", () => {
  const [tests] = createTestReceipt(1).checks;
  if (!tests) throw new Error("The receipt has no check.");
  const two = createTestReceipt(1, { checks: [tests, { ...tests, directory: "web" }] });
  const [passed, broke] = [
    { check: "tests", passed: true },
    { check: "tests", passed: false, problem: "1 of 3 failed." },
  ];
  expect(compareCheckReruns(two, [passed, broke])).toEqual([passed, broke]);
  expect(compareCheckReruns(two, [passed])).toEqual([
    passed,
    { check: "tests", passed: false, problem: "It was not run again." },
  ]);
});

const verified = (more: Partial<VerifiedChain> = {}): VerifiedChain => ({
  ...verifyReceiptChain(evidence(createTestReceipt(1)), TREE),
  ...more,
});
const broken = { problems: [{ problem: "It is not JSON.", line: 1 }] };
const rerun = (passed: boolean) => ({ receipt: "AUTH-001.R-1", check: "tests", passed });

test.each<[VerifiedChain[], boolean, string]>([
  [[], true, "No receipts to verify."],
  [[verified({ receipts: 0, matching: 0 })], true, "No receipts to verify."],
  [
    [verified()],
    true,
    "1 receipt of 1 workflow, none altered. 1 matches the current files, 0 belong to older versions.",
  ],
  [
    [verified({ receipts: 4, matching: 2, earlier: 2 }), verified({ receipts: 3, matching: 0, earlier: 3 })],
    true,
    "7 receipts of 2 workflows, none altered. 2 match the current files, 5 belong to older versions.",
  ],
  [
    [verified({ receipts: 3, matching: 0, earlier: 1, failed: 2, ...broken })],
    true,
    "3 receipts of 1 workflow, 1 chain altered. 0 match the current files, 1 belongs to older versions. 2 record a gate that did not pass.",
  ],
  [
    [verified({ receipts: 0, matching: 0, ...broken }), verified(broken)],
    true,
    "1 receipt of 2 workflows, 2 chains altered. 1 matches the current files, 0 belong to older versions.",
  ],
  [
    [verified()],
    false,
    "1 receipt of 1 workflow, none altered. Without git Tenon cannot compare them with your files.",
  ],
  [
    [verified({ reruns: [rerun(true), rerun(false)] })],
    true,
    "1 receipt of 1 workflow, none altered. 1 matches the current files, 0 belong to older versions. 2 checks run again, 1 failed.",
  ],
  [
    [verified({ reruns: [rerun(true)] })],
    true,
    "1 receipt of 1 workflow, none altered. 1 matches the current files, 0 belong to older versions. 1 check run again, all passed.",
  ],
])("summarizes the receipts in one line: %#", (all, hasTree, line) => {
  expect(formatVerificationSummary(all, hasTree)).toBe(line);
});

test("requires a match of the newest receipt, or of either of two with the same time", () => {
  const at = (time: string, matches: boolean): VerifiedChain =>
    verified({ newest: { id: `${time} ${matches}`, gate: "g", at: time, matches } });
  expect(findNewestReceipt([at("2026-02-01T00:00:00Z", false), at("2026-01-01T00:00:00Z", true)])?.matches).toBe(false);
  expect(findNewestReceipt([at("2026-02-01T00:00:00Z", true), at("2026-02-01T00:00:00Z", false)])?.matches).toBe(true);
  expect(findNewestReceipt([])).toBeUndefined();
});
