import { formatGithubAnnotation, formatCount, escapeUnprintable } from "#kernel/model/text-format.ts";
import type { ReceiptVerification } from "./receipt-verification.ts";

export function formatVerificationAnnotations({ strict, workflows, findings, strays }: ReceiptVerification): string[] {
  const annotate = (level: "error" | "warning", message: string, path?: string, line?: number): string =>
    formatGithubAnnotation({ level, title: "tenon verify", message, path, line });
  const mild = strict ? "error" : "warning";
  return [
    ...strays.map(({ path, problem }) => annotate("error", problem, path)),
    ...workflows.flatMap(({ id, path, problems, findings: own, reruns }) => [
      ...problems.map(({ problem, line }) => annotate("error", problem, path, line)),
      ...reruns
        .filter(({ passed }) => !passed)
        .map(({ receipt, check, problem = "It fails now." }) =>
          annotate("error", `${receipt}: ${check}: ${problem}`, path),
        ),
      ...own.map((finding) => annotate(mild, `${id}: ${finding}`, path)),
    ]),
    ...findings.map((finding) => annotate(mild, finding)),
  ];
}

interface VerificationCase {
  readonly name: string;
  readonly file?: string;
  readonly failures?: readonly string[];
  readonly note?: string;
}

export function formatVerificationJunit(verification: ReceiptVerification): string {
  const suites = createVerificationSuites(verification);
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tenon verify" ${formatCaseCounts(all)}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${escapeXmlText(name)}" ${formatCaseCounts(cases)}>`,
      ...cases.flatMap((each) => formatVerificationCase(name, each)),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function createVerificationSuites(verification: ReceiptVerification): { name: string; cases: VerificationCase[] }[] {
  const { strict, workflows, findings, strays } = verification;
  const found = (name: string): VerificationCase => (strict ? { name, failures: [name] } : { name, note: name });
  const general = [
    ...strays.map(({ path, problem }): VerificationCase => ({ name: path, file: path, failures: [problem] })),
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

function formatVerificationCase(suite: string, { name, file, failures = [], note }: VerificationCase): string[] {
  const place = file === undefined ? "" : ` file="${escapeXmlText(file)}"`;
  const head = `    <testcase classname="${escapeXmlText(suite)}" name="${escapeXmlText(name)}"${place}`;
  const [first] = failures;
  const lines = failures.flatMap((failure) => failure.split("\n"));
  if (first === undefined && note === undefined) return [`${head}/>`];
  const inside =
    first === undefined
      ? `      <skipped message="${escapeXmlText(note ?? "")}"/>`
      : `      <failure message="${escapeXmlText(first)}">${lines.map(escapeXmlText).join("\n")}</failure>`;
  return [`${head}>`, inside, "    </testcase>"];
}

function formatCaseCounts(cases: readonly VerificationCase[]): string {
  const failures = cases.filter((each) => (each.failures ?? []).length > 0).length;
  const skipped = cases.filter((each) => each.note !== undefined).length;
  return `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`;
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML cannot represent most control characters, so they are shown by their code. */
const escapeXmlText = (text: string): string =>
  escapeUnprintable(text)
    .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
    .replace(/[&<>"']/g, (mark) => XML_ESCAPES[mark] ?? mark);
