import { Fault } from "#domain/fault.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliHouse } from "./program.ts";

const USAGE = "tenon merge-driver <base> <ours> <theirs> <path>";

/** `tenon merge-driver %O %A %B %P`: git calls it, people do not. */
export async function mergeDriver(words: readonly string[], house: CliHouse): Promise<ExitCode> {
  if (words[0] === "--help" || words[0] === "-h") {
    house.io.out(`${USAGE}\n\nGit calls it while merging; set it up with: tenon init --merge-drivers\n`);
    return EXIT.done;
  }
  const [base, ours, theirs, path, more] = words;
  if (!base || !ours || !theirs || !path || more !== undefined) {
    throw new Fault("usage.bad-flag", {
      what: "Nothing was merged.",
      why: `Git gives it three files and a path: ${USAGE}.`,
      fix: "tenon init --merge-drivers",
    });
  }
  return (await house.mergeFiles({ base, ours, theirs, path })) ? EXIT.done : EXIT.fault;
}
