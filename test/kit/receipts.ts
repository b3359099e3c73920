import { createHash } from "node:crypto";
import { appendReceiptLine, type Receipt } from "#checking/model/gate/receipt-chain.ts";

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** That gate 3 of AUTH-001 was passed. */
export const createTestReceipt = (n: number, more: Partial<Receipt> = {}): Receipt => ({
  id: `AUTH-001.R-${n}`,
  gate: "gate-3-implement",
  workflow: "AUTH-001",
  stage: "implement",
  passed: true,
  checks: [
    {
      check: "tests",
      status: "passed",
      directory: ".",
      tool: "vitest",
      argv: ["npx", "vitest", "run"],
      exit: 0,
      ms: 1200,
      tests: [{ file: "test/login.test.ts", name: "login > refuses “a” wrong\tpassword", status: "passed" }],
      output_hash: digest("1 passed"),
    },
    { check: "coverage", status: "waived", reason: "Nothing measures it here." },
  ],
  tree: "a".repeat(40),
  base: "b".repeat(40),
  trust: "c".repeat(64),
  spec_ids: ["AUTH-001"],
  criteria: ["AUTH-001.AC-1"],
  environment: { tenon: "0.1.0", node: "24.0.0", platform: "linux" },
  at: `2026-01-31T12:00:0${n % 10}Z`,
  ...more,
});

/** The file that holds these, one after the other. */
export const joinReceipts = (...receipts: readonly Receipt[]): string =>
  receipts.reduce((text, receipt) => appendReceiptLine(text, receipt, digest).text, "");
