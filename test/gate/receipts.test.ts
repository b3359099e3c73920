import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readReceiptChain } from "#checking/model/gate/receipt-chain.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { refusal } from "../kit/fault.ts";
import { digest } from "../kit/receipts.ts";
import { put } from "../kit/repository.ts";
import { startWorker } from "../kit/worker.ts";
import { FILE, gateStand } from "./stand.ts";

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

test("links each receipt to the one before it and numbers it", async () => {
  using stand = await gateStand();
  expect([await stand.keep(), await stand.keep({ passed: false }), await stand.keep({}, "BUG-042")]).toEqual([
    "AUTH-001.R-1",
    "AUTH-001.R-2",
    "BUG-042.R-1",
  ]);
  const { receipts, problems } = readReceiptChain(stand.read(FILE), digest, "AUTH-001");
  expect([problems, receipts.map(({ receipt }) => [receipt.id, receipt.passed])]).toEqual([
    [],
    [
      ["AUTH-001.R-1", true],
      ["AUTH-001.R-2", false],
    ],
  ]);
});

test("does not extend an altered chain", async () => {
  using stand = await gateStand();
  await stand.keep();
  const edited = stand.read(FILE).replace('"passed":true', '"passed":false');
  stand.write(FILE, edited);
  expect(await refusal(stand.keep())).toEqual({
    code: "receipt.broken",
    message:
      'No receipt was added to sdd/receipts/AUTH-001.jsonl. Line 1: "AUTH-001.R-1" was edited: its hash does not match.',
  });
  expect(stand.read(FILE)).toBe(edited);
});

test("continues a chain in a checkout with Windows line ends", async () => {
  using stand = await gateStand();
  await stand.keep();
  const [first = ""] = stand.read(FILE).split("\n");
  stand.write(FILE, `${first}\r\n`);
  await stand.keep();
  const { problems } = readReceiptChain(stand.read(FILE), digest);
  expect([problems, stand.read(FILE).includes("\r"), stand.read(FILE).split("\n")[0]]).toEqual([[], false, first]);
});

test("writes one chain for concurrent processes", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "sdd/config.yaml", "");
  const workers = upTo(3).map(() => startWorker<string>("receipt", [root, "12"]));
  await Promise.all(workers.map((worker) => worker.hear(1)));
  for (const worker of workers) worker.tell("go");
  expect((await Promise.all(workers.map(({ ended }) => ended))).map(({ code, err }) => [code, err])).toEqual(
    upTo(3).map(() => [0, ""]),
  );
  const { receipts, problems } = readReceiptChain(fs.readFileSync(join(root, FILE), "utf8"), digest, "AUTH-001");
  const told = workers.flatMap(({ said }) => said.filter((word) => word !== "ready"));
  expect(problems).toEqual([]);
  expect(receipts.map(({ receipt }) => receipt.id)).toEqual(upTo(36).map((n) => `AUTH-001.R-${n}`));
  expect(told.toSorted()).toEqual(receipts.map(({ receipt }) => receipt.id).toSorted());
});
