import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliHouse } from "./program.ts";

const SHELLS = ["bash", "zsh", "fish"];

export async function printCompletion([shell = ""]: readonly string[], house: CliHouse): Promise<ExitCode> {
  if (shell === "--help" || shell === "-h") {
    house.io.out(`tenon completion <${SHELLS.join("|")}>\n\nFor example: source <(tenon completion bash)\n`);
    return EXIT.done;
  }
  if (!SHELLS.includes(shell)) {
    throw new Fault("usage.bad-flag", {
      what: "No completion script was printed.",
      why: `${quote(shell, 40)} is not one of ${SHELLS.join(", ")}.`,
      fix: "tenon completion bash",
    });
  }
  house.io.out(await house.asset(`completion/tenon.${shell}`));
  return EXIT.done;
}
