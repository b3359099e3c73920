import { Fault } from "#domain/fault.ts";
import { EXIT_CODES, type ExitCode } from "./exit-code.ts";
import type { CliHost } from "./program.ts";

const MERGE_DRIVER_USAGE = "tenon merge-driver <base> <ours> <theirs> <path>";

/** `tenon merge-driver %O %A %B %P`: git calls it, people do not. */
export async function runMergeDriverCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  if (words[0] === "--help" || words[0] === "-h") {
    house.io.out(`${MERGE_DRIVER_USAGE}\n\nGit calls it while merging; set it up with: tenon init --merge-drivers\n`);
    return EXIT_CODES.done;
  }
  const [base, ours, theirs, path, more] = words;
  if (!base || !ours || !theirs || !path || more !== undefined) {
    throw new Fault("usage.bad-flag", {
      what: "Nothing was merged.",
      why: `Git gives it three files and a path: ${MERGE_DRIVER_USAGE}.`,
      fix: "tenon init --merge-drivers",
    });
  }
  return (await house.mergeFiles({ base, ours, theirs, path })) ? EXIT_CODES.done : EXIT_CODES.fault;
}
