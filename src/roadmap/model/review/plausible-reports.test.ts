import { expect, test } from "vitest";
import { parseInspectionReport } from "./review-report.ts";
import { isRejectedReport } from "./report-form.ts";

const ISSUE = "H|signature-mismatch|src/a.ts:3|It takes a number";
const CLEAN = "VERDICT:GO\nSCOPE:cart\n";
const FOUND = `VERDICT:CONDITIONAL\nSCOPE:cart\nISSUES:\n${ISSUE}\n`;
const MEANT = { severity: "H", category: "signature-mismatch", location: "src/a.ts:3" };

/** Reports as careful inspectors write them, with the severities and locations that each means. */
const REPORTS: readonly [string, string, number][] = [
  ["the form", FOUND, 1],
  ["no finding", CLEAN, 0],
  ["a greeting", `Here is my report:\n\n${FOUND}`, 1],
  ["two lines before it", `I read all files.\nThis is what I found.\n\n${FOUND}`, 1],
  ["a fence", `\`\`\`\n${FOUND}\`\`\`\n`, 1],
  ["a fence with a language", `\`\`\`cpf\n${FOUND}\`\`\`\n`, 1],
  ["a closing line behind the fence", `\`\`\`\n${FOUND}\`\`\`\n\nLet me know if you need more.\n`, 1],
  ["bold keys", FOUND.replace("VERDICT:", "**VERDICT:** ").replace("SCOPE:", "**SCOPE:** "), 1],
  ["a bold section", FOUND.replace("ISSUES:", "**ISSUES:**"), 1],
  ["a heading as section", FOUND.replace("ISSUES:", "## ISSUES:"), 1],
  ["spaces after colons", FOUND.replace("VERDICT:", "VERDICT: ").replace("SCOPE:", "SCOPE: "), 1],
  ["bullets", FOUND.replace(ISSUE, `- ${ISSUE}`), 1],
  ["stars as bullets", FOUND.replace(ISSUE, `* ${ISSUE}`), 1],
  ["numbers as bullets", FOUND.replace(ISSUE, `1. ${ISSUE}`), 1],
  ["a severity as word", FOUND.replace("H|", "High|"), 1],
  ["a small severity", FOUND.replace("H|", "h|"), 1],
  ["a severity in capitals", FOUND.replace("H|", "HIGH|"), 1],
  ["spaces around bars", FOUND.replaceAll("|", " | "), 1],
  ["none as findings", `${CLEAN}ISSUES:\nnone\n`, 0],
  ["None with a dot", `${CLEAN}ISSUES:\nNone.\n`, 0],
  ["none behind the colon", `${CLEAN}ISSUES: none\n`, 0],
  ["notes on one line", `${CLEAN}NOTES: all fine\n`, 0],
  ["a rule between sections", `${FOUND}---\nNOTES:\nRead src/a.ts\n`, 1],
  ["a bar in the last field", FOUND.replace("a number", "string | undefined"), 1],
  ["blank lines", FOUND.replaceAll("\n", "\n\n"), 1],
  ["a small verdict", FOUND.replace("CONDITIONAL", "conditional"), 1],
  ["small keys", FOUND.replace("VERDICT", "Verdict").replace("SCOPE", "Scope").replace("ISSUES", "Issues"), 1],
  ["Windows line ends", FOUND.replaceAll("\n", "\r\n"), 1],
  ["code marks around the file", FOUND.replace("src/a.ts:3", "`src/a.ts:3`"), 1],
  ["JSON", JSON.stringify({ verdict: "CONDITIONAL", scope: "cart", findings: [{ ...MEANT, description: "x" }] }), 1],
];

test("accepts at least 28 of 30 plausible inspector reports as meant, and misreads none", () => {
  const read = REPORTS.map(([name, text, count]) => {
    const told = parseInspectionReport(text, "interface");
    if (isRejectedReport(told)) return { name, is: "unread", why: told.problems[0]?.problem };
    const { findings, scope } = told;
    const isMeant =
      scope === "cart" &&
      findings.length === count &&
      findings.every(
        ({ severity, category, location }) =>
          severity === "H" && category === MEANT.category && location.replaceAll("`", "") === MEANT.location,
      );
    return { name, is: isMeant ? "meant" : "misread", told };
  });
  expect(read).toHaveLength(30);
  expect(read.filter(({ is }) => is === "misread")).toEqual([]);
  expect(read.filter(({ is }) => is === "unread").length).toBeLessThanOrEqual(2);
});

test.each([
  "High-level overview: design.md is consistent (design.md)",
  "High risk of data loss in the new code (src/cart.ts:3)",
  "low coverage was considered and rejected: src/cart.ts is tested",
  "Medium: nothing in src/cart.ts",
  "H or M, I am not sure: src/cart.ts:3 rounds twice",
  "severity is high for src/cart.ts:3",
])("asks about %j instead of making it a finding", (line) => {
  expect(isRejectedReport(parseInspectionReport(`${CLEAN}ISSUES:\n${line}\n`, "interface"))).toBe(true);
});
