import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { EXIT_CODES, type ExitCode } from "./exit-code.ts";
import type { CliHost } from "./program.ts";

const COMPLETION_SHELLS = ["bash", "zsh", "fish"];

export async function printCompletionScript([shell = ""]: readonly string[], house: CliHost): Promise<ExitCode> {
  if (shell === "--help" || shell === "-h") {
    house.io.out(`tenon completion <${COMPLETION_SHELLS.join("|")}>\n\nFor example: source <(tenon completion bash)\n`);
    return EXIT_CODES.done;
  }
  if (!COMPLETION_SHELLS.includes(shell)) {
    throw new Fault("usage.bad-flag", {
      what: "No completion script was printed.",
      why: `${quote(shell, 40)} is not one of ${COMPLETION_SHELLS.join(", ")}.`,
      fix: "tenon completion bash",
    });
  }
  house.io.out(await house.asset(`completion/tenon.${shell}`));
  return EXIT_CODES.done;
}
