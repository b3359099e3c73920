import type { StackCheck, CommandInvocation } from "./check.ts";

export interface PlaceholderValues {
  readonly report: string;
  readonly coverage: string;
  readonly files: readonly string[];
}

/** A shell line gets the values as variables instead of spliced text. */
export function fillCommandPlaceholders(
  run: CommandInvocation,
  variables: StackCheck["variables"],
  { report, coverage, files }: PlaceholderValues,
): { readonly run: CommandInvocation; readonly variables: Readonly<Record<string, string>> } {
  const fill = (word: string): string => word.replaceAll("{report}", report).replaceAll("{coverage}", coverage);
  const own = Object.fromEntries(Object.entries(variables ?? {}).map(([name, value]) => [name, fill(value)]));
  if ("shell" in run) {
    const told = { TENON_REPORT: report, TENON_COVERAGE: coverage, TENON_FILES: files.join("\n") };
    return { run, variables: { ...own, ...told } };
  }
  return { run: { argv: run.argv.flatMap((word) => (word === "{files}" ? files : [fill(word)])) }, variables: own };
}

/** A command without a file list could change any file. */
export const canTakeFiles = (run: CommandInvocation): boolean =>
  "shell" in run ? run.shell.includes("TENON_FILES") : run.argv.includes("{files}");
