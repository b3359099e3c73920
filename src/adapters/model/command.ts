import { formatInvocationLine } from "#domain/stack/command-line.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { ModelAnswer, LanguageModel } from "#operations/ports/model.ts";
import type { CommandRunner, ScratchFolder } from "#operations/ports/runner.ts";

/** Bytes of an answer. A batch of summaries has 3,000; a model that prints its reasoning has more. */
const LONGEST_COMMAND_ANSWER = 256 * 1024;

export interface CommandModelParts {
  readonly argv: readonly string[];
  readonly timeout_s: number;
  readonly runner: CommandRunner;
  readonly scratch: () => Promise<ScratchFolder>;
  /** The user's variables: it is the user's own program and may need any of them. */
  readonly names: readonly string[];
}

/** Variables that mark a nested agent; some programs refuse to start with them. */
const NESTED_AGENT_VARIABLE = /^(?:CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|CLAUDE_CODE_SSE_PORT)$/;

/**
 * A model behind a command. The prompt goes to its standard input, without a shell. It runs in an empty folder, so that
 * it finds no instructions of the repository.
 */
export function createCommandModel({ argv, timeout_s, runner, scratch, names }: CommandModelParts): LanguageModel {
  return {
    name: sanitizeText(formatInvocationLine({ argv })),
    async answer(prompt, cancelled) {
      await using empty = await scratch();
      const done = await runner.run({
        run: { argv },
        folder: empty.folder,
        timeout_s,
        silence_s: timeout_s,
        input: prompt,
        passes: names.filter((name) => !NESTED_AGENT_VARIABLE.test(name)),
        cancelled,
      });
      try {
        return await readCommandAnswer(done, timeout_s);
      } finally {
        await done.forget();
      }
    },
  };
}

async function readCommandAnswer(
  done: Awaited<ReturnType<CommandRunner["run"]>>,
  timeout_s: number,
): Promise<ModelAnswer> {
  switch (done.how) {
    case "exited": {
      if (done.code !== 0) return { failed: `It ended with code ${done.code}${formatLastOutput(done.output.tail)}.` };
      const said = await done.text(LONGEST_COMMAND_ANSWER);
      return said === undefined ? { failed: "It said far too much." } : { said };
    }
    case "timed-out":
    case "silent":
      return { failed: `It took longer than ${timeout_s} s.` };
    case "cancelled":
      return { failed: "It was cancelled." };
    case "signalled":
      return { failed: `It was ended by ${done.signal}.` };
    case "not-found":
    case "not-started":
      return { failed: sanitizeText(done.why ?? "It could not be started.", 200) };
  }
}

/** What a program says last is usually why it gave up. */
function formatLastOutput(tail: string): string {
  const line = tail.split("\n").findLast((each) => each.trim() !== "");
  return line === undefined ? "" : `: ${sanitizeText(line.trim().replace(/\.$/, ""), 160)}`;
}
