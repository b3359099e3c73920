import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { EXIT_CODES, type ExitCode } from "./exit-code.ts";
import type { CliHost } from "./program.ts";

const DEMO_FLAGS = ["--verbose", "--keep"];

export async function runDemoCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  if (words.includes("--help") || words.includes("-h")) {
    house.io.out(await house.asset("cli/demo.md"));
    return EXIT_CODES.done;
  }
  const unknown = words.find((word) => !DEMO_FLAGS.includes(word));
  if (unknown !== undefined) {
    throw new Fault("usage.bad-flag", {
      what: "The demo was not shown.",
      why: `${quote(unknown, 40)} is not one of ${DEMO_FLAGS.join(", ")}.`,
      fix: "tenon demo",
    });
  }
  const stopping = new AbortController();
  const forget = house.io.onInterrupt(() => stopping.abort());
  const wish = { verbose: words.includes("--verbose"), keep: words.includes("--keep") };
  const areKept = await house.demo(wish, stopping.signal).finally(forget);
  if (stopping.signal.aborted) return EXIT_CODES.cancelled;
  return areKept ? EXIT_CODES.done : EXIT_CODES.fault;
}
