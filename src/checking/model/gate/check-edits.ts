import { formatShortList } from "#kernel/model/text-format.ts";
import { detectFileLanguage } from "#code/model/survey/file-selection.ts";
import type { CheckKind } from "../stack/stack-check.ts";
import type { CheckOutcome } from "./check-outcome.ts";
import type { ReportedFailure } from "./known-failures.ts";

const MOST_NAMED_FILES = 5;
const TENON_PATH = /^\.?sdd\//;
/** Checks that judge the text of files. An edit by one of them hides its findings. */
const TEXT_CHECKS: ReadonlySet<CheckKind> = new Set(["lint", "format"]);

export const isTextCheck = (kind: CheckKind): boolean => TEXT_CHECKS.has(kind);

/** Edits that make a result worthless. Tests may write data, but not the code that they test. */
export const listEditFailures = (kind: CheckKind, paths: readonly string[]): ReportedFailure[] =>
  paths
    .filter((path) => (isTextCheck(kind) ? !TENON_PATH.test(path) : detectFileLanguage(path) !== undefined))
    .map((path) => ({
      key: formatEditKey(path),
      problem: `It changed ${path}, so its result does not count.`,
    }));

export const formatEditKey = (path: string): string => `changed ${path}`;

export function addEditFailures(
  outcome: CheckOutcome,
  edits: readonly ReportedFailure[],
  hasFix: boolean,
): CheckOutcome {
  if (edits.length === 0 || outcome.status === "unknown") return outcome;
  const problems = [...outcome.problems, ...edits.map(({ problem }) => ({ problem }))];
  const failure = outcome.failure ?? (hasFix ? "fixable" : "real");
  return { status: "failed", failure, problems };
}

export function describeCheckEdits(
  check: string,
  kind: CheckKind,
  profile: string,
  paths: readonly string[],
): string | undefined {
  if (paths.length === 0) return undefined;
  const them = paths.length === 1 ? "it" : "them";
  const remedy = isTextCheck(kind)
    ? `A check must not edit files: remove --fix, --write or -w from its command, or set its argv in sdd/stacks/${profile}.yaml.`
    : `Have git ignore ${them}, or let the ${kind === "build" ? "build" : "tests"} write to a temporary folder.`;
  return `${check} changed ${formatShortList(paths, MOST_NAMED_FILES)}; Tenon restored ${them}. ${remedy}`;
}
