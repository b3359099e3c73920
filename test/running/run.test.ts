import { expect, test } from "vitest";
import { code } from "../roadmap/feature-documents.ts";
import { runStand } from "./run-stand.ts";

test("builds a roadmap in parallel, and lands everything", async () => {
  using stand = await runStand({
    groups: { "tide-model": ["A", "B"] },
    acts: [{ action: "build-B", act: "huge" }],
  });
  const { notices, ...output } = await stand.start();
  expect(output).toMatchObject({ complete: true, ended: "The roadmap is complete.", waiting: [], failed: [] });
  expect(notices.filter(({ event }) => event === "landed")).toHaveLength(4);
  expect(stand.git("status", "--porcelain")).toBe("");
  expect(stand.git("worktree", "list").trim().split("\n")).toHaveLength(1);
  // A huge difference lands whole.
  expect(stand.read("src/tide-model-B.mjs")).toHaveLength(
    code({ feature: "tide-model", groups: [] }, "B").length + 50_000 * 103,
  );
  expect(stand.git("for-each-ref", "refs/tenon/run")).toBe("");
  // Each reviewer was a process of its own.
  const review = stand.read("sdd/features/tide-model/reviews/B1.yaml");
  expect(review).toMatch(/by: "auditor"\s+session: "[^"]+\/tide-model\/design\/B1\/auditor"/);
  expect(review).not.toContain("one_reporter");
  const subjects = stand.git("log", "--format=%s").trim().split("\n");
  expect(subjects).toEqual(
    expect.arrayContaining([
      "Design: tide-model",
      "Plan the tasks: tide-model",
      "Build group A: tide-model",
      "Record wave 1",
    ]),
  );
});

test("returns false, foreign or missing work to its agent, and lands none of it", async () => {
  const acts = [
    { action: "tide-model/build-A/1", start: 1, act: "wrong-file" },
    { action: "tide-model/build-A/1", start: 1, act: "record" },
    { action: "tide-model/build-A/1", start: 2, act: "broken" },
    { action: "tide-model/t", start: 1, act: "no-report" },
    { action: "impl/B2/quality", start: 1, act: "wrong-report" },
  ];
  using stand = await runStand(
    { groups: { "tide-model": ["A"] }, acts },
    { "src/other.mjs": "export const other = 0;\n" },
  );
  const { notices, ...output } = await stand.start();
  expect(output).toMatchObject({ complete: true, failed: [] });
  const problems = notices.flatMap((notice) =>
    notice.event === "rejected" || notice.event === "cut-off"
      ? notice.problems.map((text) => `${notice.action}: ${text}`)
      : [],
  );
  expect(problems).toEqual([
    expect.stringContaining("The agent ended without a report."),
    expect.stringContaining("build-A/1: These files do not belong to the action. Restore them: src/other.mjs."),
    expect.stringContaining(
      "build-A/1: These files are Tenon's, and it restored them. Leave them alone: sdd/features/",
    ),
    expect.stringContaining("is not tide-model A"),
    expect.stringContaining("quality"),
  ]);
  expect(stand.read("src/other.mjs")).toBe("export const other = 0;\n");
});
