import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliHouse } from "./program.ts";

const FLAGS = ["--verbose", "--keep"];

export async function showDemo(words: readonly string[], house: CliHouse): Promise<ExitCode> {
  if (words.includes("--help") || words.includes("-h")) {
    house.io.out(await house.asset("cli/demo.md"));
    return EXIT.done;
  }
  const unknown = words.find((word) => !FLAGS.includes(word));
  if (unknown !== undefined) {
    throw new Fault("usage.bad-flag", {
      what: "The demo was not shown.",
      why: `${quote(unknown, 40)} is not one of ${FLAGS.join(", ")}.`,
      fix: "tenon demo",
    });
  }
  const stopping = new AbortController();
  const forget = house.io.onInterrupt(() => stopping.abort());
  const wish = { verbose: words.includes("--verbose"), keep: words.includes("--keep") };
  const areKept = await house.demo(wish, stopping.signal).finally(forget);
  if (stopping.signal.aborted) return EXIT.cancelled;
  return areKept ? EXIT.done : EXIT.fault;
}
