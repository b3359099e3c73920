import { formatCount } from "../count.ts";
import { escapeUnprintable } from "../quote.ts";
import type { Verification } from "./verification.ts";

interface Case {
  readonly name: string;
  readonly file?: string;
  readonly failures?: readonly string[];
  readonly note?: string;
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

export function junitOf(verification: Verification): string {
  const suites = suitesOf(verification);
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tenon verify" ${tally(all)}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${escaped(name)}" ${tally(cases)}>`,
      ...cases.flatMap((each) => testcase(name, each)),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function suitesOf({ strict, workflows, findings, strays }: Verification): Suite[] {
  const found = (finding: string): Case => ({
    name: finding,
    ...(strict ? { failures: [finding] } : { note: finding }),
  });
  const general = [
    ...strays.map(({ path, problem }): Case => ({ name: path, file: path, failures: [problem] })),
    ...findings.map(found),
  ];
  return [
    ...workflows.map(({ id, path, receipts, problems, findings: own, reruns }) => ({
      name: id,
      cases: [
        {
          name: `chain of ${formatCount(receipts, "receipt")}`,
          file: path,
          failures: problems.map(({ problem, line }) => (line === undefined ? problem : `line ${line}: ${problem}`)),
        },
        ...reruns.map(({ receipt, check, passed, problem = "It fails now." }) => ({
          name: `${receipt} ${check}`,
          failures: passed ? [] : [problem],
        })),
        ...own.map(found),
      ],
    })),
    ...(general.length > 0 ? [{ name: "workspace", cases: general }] : []),
  ];
}

function testcase(suite: string, { name, file, failures = [], note }: Case): string[] {
  const place = file === undefined ? "" : ` file="${escaped(file)}"`;
  const head = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}"${place}`;
  const [first] = failures;
  const lines = failures.flatMap((failure) => failure.split("\n"));
  if (first === undefined && note === undefined) return [`${head}/>`];
  const inside =
    first === undefined
      ? `      <skipped message="${escaped(note ?? "")}"/>`
      : `      <failure message="${escaped(first)}">${lines.map(escaped).join("\n")}</failure>`;
  return [`${head}>`, inside, "    </testcase>"];
}

function tally(cases: readonly Case[]): string {
  const failures = cases.filter((each) => (each.failures ?? []).length > 0).length;
  const skipped = cases.filter((each) => each.note !== undefined).length;
  return `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML cannot represent most control characters, so they are shown by their code. */
const escaped = (text: string): string =>
  escapeUnprintable(text)
    .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
