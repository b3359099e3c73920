import fs from "node:fs";
import { expect, test } from "vitest";
import {
  formatCiAnnotations,
  type CiFinding,
  createCiFinding,
  CI_FINDING_LEVELS,
  escalateCiWarnings,
} from "./ci-findings.ts";

test("the guide lists every finding and whether it fails or warns", () => {
  const guide = fs.readFileSync("docs/guide/ci.md", "utf8");
  const rows = [...guide.matchAll(/^\| `(\w+)` \| `([\w-]+)` \| (fails|warns) \|/gm)].map(([, ...cells]) => cells);
  const data = Object.entries(CI_FINDING_LEVELS).flatMap(([check, kinds]) =>
    Object.entries(kinds).map(([kind, level]) => [check, kind, level === "error" ? "fails" : "warns"]),
  );
  expect(rows).toEqual(data);
});

test("--strict turns every warning into an error", () => {
  const findings = [
    createCiFinding("trace", "no-docs", { problem: "…" }),
    createCiFinding("drift", "high", { problem: "…" }),
  ];
  expect(findings.map(({ level }) => level)).toEqual(["warning", "error"]);
  expect(escalateCiWarnings(findings).map(({ level }) => level)).toEqual(["error", "error"]);
});

const HOSTILE = "a,b:c%\r\n::stop-commands::x\u2028::error::y\r##[add-mask]z\u001b[31m";

test.each<[string, Partial<CiFinding>, string]>([
  ["a place", { path: "src/a.ts", line: 3 }, "::error file=src/a.ts,line=3,title=tenon trace::No."],
  ["no line", { path: "src/a.ts" }, "::error file=src/a.ts,title=tenon trace::No."],
  ["no place", { line: 3 }, "::error title=tenon trace::No."],
  ["a warning", { level: "warning" }, "::warning title=tenon trace::No."],
  [
    "a hostile name",
    { path: HOSTILE },
    "::error file=a%2Cb%3Ac%25%0A%3A%3Astop-commands%3A%3Ax\\u2028%3A%3Aerror%3A%3Ay\\u000d##[add-mask]z\\u001b[31m,title=tenon trace::No.",
  ],
  [
    "a hostile text",
    { problem: HOSTILE },
    "::error title=tenon trace::a,b:c%25%0A::stop-commands::x\\u2028::error::y\\u000d##[add-mask]z\\u001b[31m",
  ],
])("writes an annotation on one line: %s", (_, part, expected) => {
  const finding: CiFinding = { check: "trace", kind: "orphan", level: "error", problem: "No.", ...part };
  expect(formatCiAnnotations([finding])).toEqual([expected]);
});
