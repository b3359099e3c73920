import { hashText } from "#kernel/adapters/content-hash.ts";
import { appendReceiptLine, type Receipt } from "#checking/model/gate/receipt-chain.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ChangeStand } from "../change/stand.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { HONEST_RECORDS, openFinishedProject, RECORD_LIES } from "./record-lies.ts";

let at: ChangeStand;
beforeAll(async () => void (at = await openFinishedProject()), 60_000);
afterEach(() => {
  git(at.root, "reset", "-q", "--hard", "main");
  git(at.root, "clean", "-qfd");
});
afterAll(() => at[Symbol.dispose]());

const listDoctorProblems = async (): Promise<string> => {
  const { checks } = (await at.ask("doctor")) as unknown as { checks: { check: string; ok: boolean; found: string }[] };
  return checks.flatMap(({ check, ok, found }) => (check === "kept records" && !ok ? [found] : [])).join("\n");
};

const listReceiptFindings = async (): Promise<string[]> => {
  const { workflows } = (await at.ask("verify")) as unknown as { workflows: { findings: string[] }[] };
  return workflows.flatMap(({ findings }) => findings);
};

test("a receipt that the agent writes itself is reported, however well its hashes fit", async () => {
  const path = "sdd/history/add-right/receipts.jsonl";
  expect(await listReceiptFindings()).toEqual([]);
  const {
    hash: _,
    prev: __,
    ...last
  } = JSON.parse(at.read(path).trimEnd().split("\n").at(-1) ?? "") as Receipt & {
    hash: string;
    prev: string;
  };
  at.write(path, appendReceiptLine(at.read(path), { ...last, id: "change:add-right.R-2" }, hashText).text);
  expect(await listReceiptFindings()).toEqual([
    "1 receipt in it: not committed, and not written by Tenon on this machine.",
  ]);
});

test("receipts of a colleague, and an uncommitted one of this machine, are not reported", async () => {
  using clone = temporaryFolder();
  git(clone.path, "clone", "-q", at.root, "shop");
  using house = testHouse(`${clone.path}/shop`);
  const { out } = await house.run("verify", "--json");
  expect(
    (JSON.parse(out) as { workflows: { findings: string[] }[] }).workflows.map(({ findings }) => findings),
  ).toEqual([[]]);
});

describe("records of finished work", () => {
  test.each(RECORD_LIES)("$lie: found by doctor and ci --strict", async ({ tell, message }) => {
    await tell(at);
    expect(await listDoctorProblems()).toContain(message);
    at.commit("Tidy up");
    expect((await at.ci()).findings).toContain(`verify altered: `);
    expect((await at.ci()).findings).toContain(message);
  });

  test.each(HONEST_RECORDS)("$honest: not reported", async ({ tell }) => {
    await tell(at);
    expect(await listDoctorProblems()).toBe("");
    at.commit("Go on");
    expect((await at.ci()).findings).not.toContain("verify altered");
  });
});
