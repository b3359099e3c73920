import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { compareChangedTests } from "#checking/operations/gate/kept-tests.ts";
import { RUNNER_PROJECTS } from "./more-runners.ts";
import { type Workshop, workshopOf } from "./workshop.ts";

// Maven and Gradle take a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const isMissing = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status !== 0;

const NAMED_PROJECTS = RUNNER_PROJECTS.map((each) => ({
  ...each,
  title: [each.tool, each.variant].filter(Boolean).join(" and "),
}));

describe.each(NAMED_PROJECTS)("$profile with $title", (project) => {
  const missing = project.needs.filter(isMissing);
  const isSkipped = missing.length > 0;
  const note = isSkipped ? ` (missing: ${missing.join(", ")})` : "";
  let shop: Workshop;
  beforeAll(async () => {
    if (!isSkipped) shop = await workshopOf(project.files);
  });
  afterAll(() => shop?.[Symbol.dispose]());

  test.skipIf(isSkipped)(`is detected, and its passing tests are reported by name${note}`, async () => {
    expect([shop.use.profile, shop.use.checks[0]?.tool]).toEqual([project.profile, project.tool]);
    const { outcome, report } = await shop.attempt("test");
    expect(outcome).toEqual({ status: "passed", problems: [] });
    expect(report?.tests.map(({ file, name, status }) => `${status} ${file}: ${name}`)).toEqual([
      `passed ${project.known}`,
    ]);
    // A second run writes its own report: an earlier one never counts.
    expect((await shop.attempt("test")).report?.tests).toHaveLength(1);
  });

  test.skipIf(isSkipped)(`runs a test that fails without its code and passes with it${note}`, async () => {
    shop.write({ ...project.test, ...project.code });
    const { red, problems, unseen } = await shop.red();
    const [file, name] = project.name;
    expect({ red, problems, unseen }).toEqual({
      red: [{ file, name, why: "missing-symbol" }],
      problems: [],
      unseen: [],
    });
    expect((await shop.attempt("test")).outcome).toEqual({ status: "passed", problems: [] });
    shop.restore();
  });

  test.skipIf(isSkipped)(
    `accepts a failing assertion as evidence, and rejects a test that passes before the work${note}`,
    async () => {
      shop.write({ ...project.asserting, ...project.lying });
      const { red, problems, receipts } = await shop.red();
      expect(red.map(({ file, why }) => [file, why])).toEqual([[Object.keys(project.asserting)[0], "assertion"]]);
      expect(problems.map(({ problem }) => problem)).toEqual([
        expect.stringContaining("passes without your change, so it does not test the new behaviour."),
      ]);
      // Only the two new tests ran, except where a task of the project's own loads all.
      const ran = receipts.flatMap(({ tests = [] }) => tests);
      expect(ran).toHaveLength(project.variant === undefined ? 2 : 3);
      const { outcome } = await shop.attempt("test");
      expect([outcome.status, outcome.problems.length]).toEqual(["failed", 1]);
      shop.restore();
    },
  );

  test.skipIf(isSkipped)(`detects a deleted test${note}`, async () => {
    const path = Object.keys(project.files).find((each) => /test\.|spec\.|Test\./i.test(each)) ?? "";
    shop.write({ [path]: "\n" });
    const { lost } = compareChangedTests(await shop.changed());
    expect(lost.map(({ how }) => how)).toEqual(["removed"]);
    shop.restore();
  });

  test.skipIf(isSkipped)(`judges every new test though one file does not load${note}`, async () => {
    shop.write({ ...project.test, ...project.code, ...project.asserting, ...project.lying });
    const { red, problems } = await shop.red();
    expect(Object.fromEntries(red.map(({ file, why }) => [file, why]))).toEqual({
      [project.name[0]]: "missing-symbol",
      [Object.keys(project.asserting)[0] ?? ""]: "assertion",
    });
    expect(problems.map(({ problem }) => problem)).toEqual([
      expect.stringContaining("passes without your change, so it does not test the new behaviour."),
    ]);
    shop.restore();
  });
});
