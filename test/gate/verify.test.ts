import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Receipt } from "#checking/model/gate/receipt-chain.ts";
import type { CheckRerun } from "#checking/model/gate/receipt-verification.ts";
import { createVerifyOperation } from "#checking/operations/gate/verify-receipts.ts";
import { connect } from "../kit/client.ts";
import { refusal } from "../kit/fault.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { openMemoryWorkspace } from "../kit/memory-engine.ts";
import { tenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { featureSpec } from "../kit/specs.ts";
import { FILE, type GateStand, gateStand } from "./stand.ts";

const LOST = "1 receipt that this machine wrote here is not in it.";
const OF_ONE = "1 receipt of 1 workflow, none altered.";

/** What was found, shortly: whether it passed, the line, and each problem and finding. */
async function found(stand: GateStand, input: Record<string, unknown> = {}): Promise<unknown[]> {
  const { passed, summary, workflows, findings, strays } = (await stand.run("gate.verify", input)) as unknown as {
    passed: boolean;
    summary: string;
    workflows: { problems: { problem: string; line?: number }[]; findings: string[] }[];
    findings: string[];
    strays: { problem: string }[];
  };
  const told = workflows.flatMap((each) => [
    ...each.problems.map(({ problem, line }) => (line === undefined ? problem : `${line}: ${problem}`)),
    ...each.findings,
  ]);
  return [passed, summary, ...strays.map(({ problem }) => problem), ...told, ...findings];
}

test("passes without receipts", async () => {
  using stand = await gateStand();
  expect(await found(stand)).toEqual([true, "No receipts to verify."]);
  expect(await found(stand, { strict: true })).toEqual([false, "No receipts to verify."]);
});

test("matches a receipt until one of its files changes, committed or not", async () => {
  using stand = await gateStand();
  stand.write("src/new.ts", "export const a = 1;\n");
  await stand.keep();
  const matching = [true, `${OF_ONE} 1 matches the current files, 0 belong to older versions.`];
  expect(await found(stand, { strict: true })).toEqual(matching);
  stand.commit("Add a");
  expect(await found(stand, { strict: true })).toEqual(matching);
  stand.write("src/new.ts", "export const a = 2;\n");
  const earlier = [
    `${OF_ONE} 0 match the current files, 1 belongs to older versions.`,
    "The newest receipt, AUTH-001.R-1, is for an older version of the files.",
  ];
  expect(await found(stand)).toEqual([true, ...earlier]);
  expect(await found(stand, { strict: true })).toEqual([false, ...earlier]);
  await stand.keep();
  expect(await found(stand, { strict: true })).toEqual([
    true,
    "2 receipts of 1 workflow, none altered. 1 matches the current files, 1 belongs to older versions.",
  ]);
});

describe("D an altered file", () => {
  const lines = (text: string): string[] => text.trimEnd().split("\n");
  const written = (...all: readonly (string | undefined)[]): string => all.map((line) => `${line}\n`).join("");
  test.each<[string, (text: string) => string, string[]]>([
    [
      "an edit",
      (text) => text.replace('"exit":0', '"exit":1'),
      ['1: "AUTH-001.R-1" was edited: its hash does not match.'],
    ],
    [
      "a line taken out",
      (text) => written(lines(text)[0], lines(text)[2]),
      ["2: It does not follow line 1: a line was removed or edited between them."],
    ],
    ["the last line cut off", (text) => written(...lines(text).slice(0, 2)), [LOST]],
    ["all lines cut off", () => "", ["3 receipts that this machine wrote here are not in it."]],
    ["a torn end", (text) => text.slice(0, -9), ["3: The line is cut off."]],
  ])("reports %s", async (_, edit, problems) => {
    using stand = await gateStand();
    for (let i = 0; i < 3; i++) await stand.keep();
    stand.commit("Receipts");
    stand.write(FILE, edit(stand.read(FILE)));
    const [passed, summary, ...told] = await found(stand);
    expect([passed, told]).toEqual([false, problems]);
    expect(summary).toMatch(/^[0-3] receipts of 1 workflow, 1 chain altered\. /);
    expect((await found(stand, { id: "AUTH-001" })).slice(2)).toEqual(problems);
  });

  test("reports a cut chain after more receipts follow", async () => {
    using stand = await gateStand();
    await stand.keep();
    const one = stand.read(FILE);
    await stand.keep();
    stand.write(FILE, one);
    await stand.keep({ gate: "gate-4-verify" });
    expect((await found(stand)).slice(2)).toEqual([LOST]);
  });

  /** A branch that was never merged has fewer receipts, and its history says so. */
  test("reports no merge or checkout in git's history", async () => {
    using stand = await gateStand();
    await stand.keep();
    stand.commit("One");
    git(stand.root, "checkout", "--quiet", "-b", "side");
    await stand.keep();
    stand.commit("Two");
    git(stand.root, "checkout", "--quiet", "main");
    expect((await found(stand)).filter((_, i) => i !== 1)).toEqual([true, LOST]);
    expect((await found(stand, { strict: true }))[0]).toBe(false);
  });

  test("reports foreign files among the receipts", async () => {
    using stand = await gateStand();
    stand.write("sdd/receipts/notes.txt", "x\n");
    expect(await found(stand)).toEqual([
      false,
      "No receipts to verify.",
      "Its name is not a receipt file's: AUTH-001.jsonl, BUG-042.jsonl.",
    ]);
  });

  test("reports a file that is not text and shows the others", async () => {
    using stand = await gateStand();
    await stand.keep();
    put(stand.root, "sdd/receipts/BUG-042.jsonl", Buffer.from([0xff, 0xfe]));
    expect(await found(stand)).toEqual([
      false,
      `${OF_ONE} 1 matches the current files, 0 belong to older versions.`,
      expect.stringContaining("UTF-8"),
    ]);
    expect((await refusal(stand.run("gate.verify", { id: "BUG-042" }))).code).toBe("files.not-text");
  });
});

test("reports a linked folder of receipts and does not read it", async () => {
  using elsewhere = temporaryFolder();
  using stand = await gateStand();
  await stand.keep();
  fs.renameSync(join(stand.root, "sdd/receipts"), join(elsewhere.path, "receipts"));
  fs.symlinkSync(join(elsewhere.path, "receipts"), join(stand.root, "sdd/receipts"));
  expect((await found(stand))[0]).toBe(false);
  expect((await refusal(stand.run("gate.verify", { id: "AUTH-001" }))).code).toBe("files.escape");
});

describe("D finished work", () => {
  const OWED = ["gate-3-implement", "gate-4-verify"].map(
    (gate) => `It is finished, but no receipt shows that ${gate} passed.`,
  );
  const done = (id: string): string => featureSpec(id).replace(/^status: .*$/m, "status: done");

  test("requires a receipt of each gate that runs commands, also in a clone", async () => {
    using clone = temporaryFolder();
    using stand = await gateStand();
    stand.write("sdd/specs/AUTH-001.yaml", done("AUTH-001"));
    expect((await found(stand)).slice(2)).toEqual(OWED);
    expect((await found(stand, { strict: true }))[0]).toBe(false);
    await stand.keep();
    expect((await found(stand)).slice(2)).toEqual(OWED.slice(1));
    await stand.keep({ gate: "gate-4-verify" });
    expect((await found(stand, { strict: true })).slice(2)).toEqual([]);
    stand.commit("Done");
    git(clone.path, "clone", "--quiet", stand.root, "clone");
    const { code, out, err } = tenon(["verify", "--strict"], { cwd: join(clone.path, "clone") });
    const told = `2 receipts of 1 workflow, none altered. 2 match the current files, 0 belong to older versions.`;
    expect([code, out.split("\n")[0], err]).toEqual([0, told, ""]);
  });

  test("requires no receipts of a research or of open work", async () => {
    using stand = await gateStand();
    stand.fill("RES-001");
    stand.write(
      "sdd/specs/RES-001.yaml",
      stand.read("sdd/specs/RES-001.yaml").replace(/^status: .*$/m, "status: done"),
    );
    stand.fill("AUTH-001");
    expect(await found(stand)).toEqual([true, "No receipts to verify."]);
    expect(await found(stand, { id: "AUTH-001" })).toEqual([true, "No receipts to verify."]);
  });

  test("a damaged feature record does not count as implemented", async () => {
    const { run } = openMemoryWorkspace({
      files: { "sdd/features/user-login/spec.yaml": "feature_name: user-login\nphase: implementation-complete\n" },
    });
    expect(await run("gate.verify")).toMatchObject({ passed: true, workflows: [] });
  });

  test.each([
    ["AUTH-009", "receipt.none"],
    ["../etc", "workflow.bad-id"],
  ])("rejects the id %s", async (id, code) => {
    using stand = await gateStand();
    expect((await refusal(stand.run("gate.verify", { id }))).code).toBe(code);
  });
});

describe("--run", () => {
  const rerunning = async (stand: GateStand, results: readonly CheckRerun[]) => {
    const asked: Receipt[] = [];
    const verify = createVerifyOperation(async (_, receipt) => {
      asked.push(receipt);
      return results;
    });
    const { passed, summary, workflows } = await verify.run(stand.engine, { run: true });
    return { passed, summary: summary.split(". ").at(-1), reruns: workflows.map(({ reruns }) => reruns), asked };
  };

  test("runs the newest receipt of each workflow again, and each command once", async () => {
    using stand = await gateStand();
    await stand.keep();
    await stand.keep({ gate: "gate-4-verify" });
    await stand.keep({ passed: false });
    await stand.keep({}, "BUG-042");
    const { asked, ...rest } = await rerunning(stand, [{ check: "tests", passed: true }]);
    expect(asked.map(({ id }) => id)).toEqual(["AUTH-001.R-2"]);
    expect(rest).toEqual({
      passed: true,
      summary: "2 checks run again, all passed.",
      reruns: [
        [{ receipt: "AUTH-001.R-2", check: "tests", passed: true }],
        [{ receipt: "BUG-042.R-1", check: "tests", passed: true }],
      ],
    });
  });

  test("rejects a check that fails or did not run", async () => {
    using stand = await gateStand();
    await stand.keep();
    expect(await rerunning(stand, [{ check: "tests", passed: false, problem: "1 of 3 failed." }])).toMatchObject({
      passed: false,
      summary: "1 check run again, 1 failed.",
      reruns: [[{ receipt: "AUTH-001.R-1", check: "tests", passed: false, problem: "1 of 3 failed." }]],
    });
    expect(await rerunning(stand, [])).toMatchObject({
      passed: false,
      reruns: [[{ receipt: "AUTH-001.R-1", check: "tests", passed: false, problem: "It was not run again." }]],
    });
  });
});

describe("through the doors", () => {
  async function edited(): Promise<GateStand> {
    const stand = await gateStand();
    await stand.keep();
    stand.commit("Receipts");
    stand.write(FILE, stand.read(FILE).replace('"exit":0', '"exit":1'));
    return stand;
  }
  const PROBLEM = '"AUTH-001.R-1" was edited: its hash does not match.';
  const SUMMARY = "0 receipts of 1 workflow, 1 chain altered. 0 match the current files, 0 belong to older versions.";
  const ANNOTATION = `::error file=${FILE},line=1,title=tenon verify::${PROBLEM}`;
  const ANSWER = [
    SUMMARY,
    "",
    "workflow\treceipts\tmatch\tnewest",
    "AUTH-001\t0\t0\t-",
    "",
    `- ${FILE}:1: ${PROBLEM}`,
    "",
    `next: See who changed it: git log -p -- ${FILE}`,
    "",
  ].join("\n");

  test("the command line exits with the reason, and annotates on GitHub", async () => {
    using stand = await edited();
    const run = (env: Record<string, string>, ...words: string[]) =>
      tenon(["verify", ...words], { cwd: stand.root, env });
    expect(run({ GITHUB_ACTIONS: "" })).toMatchObject({ code: 3, out: ANSWER, err: "" });
    const told = { code: 3, out: `${ANSWER}${ANNOTATION}\n`, err: "" };
    expect(run({ GITHUB_ACTIONS: "true" })).toMatchObject(told);
    expect(run({ GITHUB_ACTIONS: "" }, "--annotations")).toMatchObject(told);
    expect(run({ GITHUB_ACTIONS: "true" }, "--annotations=false")).toMatchObject({ code: 3, out: ANSWER });
    const json = run({ GITHUB_ACTIONS: "true" }, "--json");
    expect([json.code, JSON.parse(json.out), json.err]).toEqual([
      3,
      expect.objectContaining({ passed: false, summary: SUMMARY }),
      `${ANNOTATION}\n`,
    ]);
  });

  test("--junit writes the report over an older one", async () => {
    using stand = await edited();
    using elsewhere = temporaryFolder();
    const place = join(elsewhere.path, "verify.xml");
    fs.writeFileSync(place, "an older one");
    const { code, err } = tenon(["verify", "--junit", place], { cwd: stand.root });
    expect([code, err, fs.readdirSync(elsewhere.path)]).toEqual([3, "", ["verify.xml"]]);
    expect(fs.readFileSync(place, "utf8")).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites name="tenon verify" tests="1" failures="1" skipped="0">',
        '  <testsuite name="AUTH-001" tests="1" failures="1" skipped="0">',
        `    <testcase classname="AUTH-001" name="chain of 0 receipts" file="${FILE}">`,
        `      <failure message="line 1: ${PROBLEM.replaceAll('"', "&quot;")}">line 1: ${PROBLEM.replaceAll('"', "&quot;")}</failure>`,
        "    </testcase>",
        "  </testsuite>",
        "</testsuites>",
        "",
      ].join("\n"),
    );
  });

  test.each([
    [["--junit", "nowhere/verify.xml"], 2, "usage.no-place"],
    [["--junit", ""], 2, "usage.bad-flag"],
    [["--junit", "."], 2, "usage.no-place"],
  ])("reports %j", async (words, code, fault) => {
    using stand = await edited();
    const { code: found_, err } = tenon(["verify", ...words], { cwd: stand.root });
    expect([found_, err.split(":")[0]]).toEqual([code, `error[${fault}]`]);
  });

  test("the tool gives the same answer and writes no file", async () => {
    using stand = await edited();
    const words = ["--toolsets", "gate"];
    await using connection = await connect("2026-07-28", { cwd: stand.root, words });
    const { structuredContent, isError } = await connection.call("sdd_verify", {});
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({ passed: false, summary: SUMMARY });
    expect((await connection.call("sdd_verify", { junit: "verify.xml" })).isError).toBe(true);
  });

  test("validate and doctor report an altered chain too", async () => {
    using stand = await edited();
    const validated = await stand.run("workspace.validate");
    expect(validated).toMatchObject({ passed: false, problems: [{ path: FILE, problem: PROBLEM, line: 1 }] });
    const { checks = [] } = await stand.run("workspace.doctor");
    expect(checks.filter(({ check }) => check === "receipts")).toEqual([
      {
        check: "receipts",
        ok: false,
        found: `${FILE}:1: ${PROBLEM}`,
        fix: `See who changed it (git log -p -- ${FILE}), then restore an intact version: git checkout -- ${FILE}`,
      },
    ]);
    git(stand.root, "checkout", "--", FILE);
    const mended = await stand.run("workspace.doctor");
    expect(mended.checks?.filter(({ check }) => check === "receipts")).toEqual([
      { check: "receipts", ok: true, found: "1 in 1 chain" },
    ]);
    expect(await stand.run("workspace.validate")).toMatchObject({ passed: true, items: 1 });
  });
});

test("detects a cut chain outside git, where it cannot match receipts", async () => {
  using folder = temporaryFolder();
  using stand = await gateStand(folder, false);
  await stand.keep({}, "AUTH-001");
  const line = "1 receipt of 1 workflow, none altered. Without git Tenon cannot compare them with your files.";
  expect(await found(stand)).toEqual([true, line]);
  stand.write(FILE, "");
  expect((await found(stand)).slice(2)).toEqual([LOST]);
});
