import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RoadmapRole } from "../../src/roadmap/model/agent/agent-roles.ts";
import { normalizeCategoryName } from "../../src/roadmap/model/review/review-verdict.ts";
import type { FeatureName } from "../../src/kernel/model/ids/feature-name.ts";
import { parseCompletionReport } from "../../src/roadmap/model/agent/completion-report.ts";
import { isRejectedReport } from "../../src/roadmap/model/review/report-form.ts";
import { findScopeMismatch, parseInspectionReport } from "../../src/roadmap/model/review/review-report.ts";

const SCOPE = { of: "feature", feature: "cart" as FeatureName } as const;

/** `==== name | what it means`, then the report as a model wrote it. */
const readCases = (file: string) =>
  readFileSync(new URL(`reports/${file}.txt`, import.meta.url), "utf8")
    .split(/^==== /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.split("\n");
      const [name = "", ...meant] = head.split(" | ").map((word) => word.replace(/ ?\|$/, "").trim());
      return { name, text: lines.join("\n"), meant };
    });

test.each([
  ["inspections", 40, 38],
  // Written before the reader was read.
  ["fresh", 30, 28],
  ["unseen", 30, 28],
  ["other-models", 30, 28],
])("misreads none of the inspector reports in %s.txt, and accepts most as meant", (file, count, least) => {
  const read = readCases(file).map(({ name, text, meant: [verdict = "", issues = ""] }) => {
    const told = parseInspectionReport(text, "interface");
    if (isRejectedReport(told)) return { name, is: "unread", why: told.problems };
    const rows = told.findings.map(
      (each) => `${each.severity} ${normalizeCategoryName(each.category)} ${each.location}`,
    );
    const is =
      [told.verdict ?? "", ...rows].join("; ") === [verdict, ...(issues === "" ? [] : [issues])].join("; ") &&
      findScopeMismatch(SCOPE, told.scope) === undefined;
    return { name, is: is ? "meant" : "misread", told };
  });
  expect(read).toHaveLength(count);
  expect(read.filter(({ is }) => is === "misread")).toEqual([]);
  expect(read.filter(({ is }) => is === "unread").slice(count - least)).toEqual([]);
});

const CART = { feature: "cart", tasks: ["1.1", "1.2", "1.3"] };

test("misreads none of 20 Builder reports in the styles of several models, and confirms guesses", () => {
  const read = readCases("builders").map(({ name, text, meant }) => {
    const told = parseCompletionReport("builder", text, "cart", { work: CART });
    const sure = isRejectedReport(told) ? parseCompletionReport("builder", told.corrected ?? "", "cart") : told;
    const start = !isRejectedReport(told) ? "" : told.corrected === undefined ? "UNREAD" : "CONFIRM ";
    if (isRejectedReport(sure)) return { name, is: start.trim(), meant: meant[0] };
    if (sure.kind === "builder-blocked")
      return { name, is: `BLOCKED ${sure.tasks.join(" ")} | -`, meant: meant.join(" | ") };
    if (sure.kind !== "builder") return { name, is: sure.kind, meant };
    const { tasks, tests } = sure;
    const is = `${start}${tasks.join(" ")} | ${tests ? `${tests.passed}/${tests.total}` : "-"}`;
    return { name, is, meant: meant.join(" | ") };
  });
  expect(read).toHaveLength(20);
  expect(read.filter(({ is, meant }) => is !== meant)).toEqual([]);
});

/** What the engine stores of a report, in the words of the corpus. */
function describeReport(role: RoadmapRole, text: string): string {
  const read = parseCompletionReport(role, text, "cart", { work: CART });
  if (isRejectedReport(read)) return "UNREAD";
  if (read.kind === "builder-blocked") return `BLOCKED ${read.tasks.join(" ")}`;
  if (read.kind === "builder") {
    const { passed, total } = read.tests ?? {};
    return `${read.tasks.join(" ")} | ${passed}/${total} | ${read.files.join(" ")}`;
  }
  if (read.kind === "inspection") {
    const { verdict, findings } = read.inspection;
    const rows = findings.map(({ severity, category, location }) => [
      severity,
      normalizeCategoryName(category),
      location,
    ]);
    return join(verdict ?? "", rows);
  }
  if (read.kind !== "audit") return read.kind;
  const { verdict, verified, removed, steering, spec_feedback: feedback, reason } = read.audit;
  const rows = verified.map(({ sources, severity, category, location }) => [
    sources.join("+"),
    severity,
    category,
    location,
  ]);
  return join(
    verdict,
    rows,
    removed.length > 0 ? `removed ${removed.length}` : "",
    steering.map(({ level, file }) => `${level} ${file}`).join(),
    feedback.length > 0 ? `feedback ${feedback.length}` : "",
    reason ?? "",
  );
}

const join = (verdict: string, rows: readonly (readonly string[])[], ...more: readonly string[]): string =>
  [verdict, rows.map((row) => row.join(" ")).join("; "), ...more].filter((part) => part !== "").join(" | ");

test("reads 30 reports of inspectors, auditors and Builders as meant", () => {
  const read = readCases("three-roles").map(({ name, text, meant }) => {
    const role = name.replace(/:.*/, "") as RoadmapRole;
    const is = describeReport(role, text);
    return { name, is, meant: meant.join(" | ") };
  });
  expect(read).toHaveLength(30);
  expect(read.filter(({ is, meant }) => is !== meant)).toEqual([]);
});
