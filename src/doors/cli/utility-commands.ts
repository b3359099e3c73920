import { parseCommandArguments } from "./command-arguments.ts";
import { EXIT_CODES, type ExitCode } from "./command-types.ts";
import type { CliHost } from "./run-cli.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

export async function runMcpCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  const command = { path: "mcp", operation: "workspace.status", summary: "", examples: [] } as const;
  const { input, common } = parseCommandArguments(command, words, { properties: { toolsets: { type: "string" } } });
  if (common.help) {
    house.io.out(await house.asset("cli/mcp.md"));
    return EXIT_CODES.done;
  }
  const toolsets =
    typeof input["toolsets"] === "string" ? input["toolsets"].split(",").map((name) => name.trim()) : undefined;
  await house.serveMcp({ argument: common.workspace, toolsets });
  return EXIT_CODES.done;
}

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

const QUEUE_EXAMPLES = {
  list: "tenon queue list",
  add: 'tenon queue add AUTH-001 feature 3 "Login with a second factor"',
  remove: "tenon queue remove AUTH-001",
  prioritize: "tenon queue prioritize AUTH-001 1",
} as const;

type QueueVerb = keyof typeof QUEUE_EXAMPLES;

export const QUEUE_VERBS: readonly string[] = Object.keys(QUEUE_EXAMPLES);

/**
 * Translates `tenon queue`, which scripts use, to the commands that replaced it. Returns nothing for a help request.
 */
export function translateQueueCommand(words: readonly string[]): readonly string[] | undefined {
  const [, verb = "list", ...rest] = words;
  if (words.some((word) => word === "--help" || word === "-h")) return undefined;
  switch (verb) {
    case "list":
      return ["workflow", "status", ...rest];
    case "add":
      return translateQueueAdd(rest);
    case "remove":
      return ["workflow", "abandon", requireQueueWord(rest[0], "id", verb), ...addRemovalReason(rest.slice(1))];
    case "prioritize":
      return [
        "workflow",
        "prioritize",
        requireQueueWord(rest[0], "id", verb),
        requireQueueWord(rest[1], "priority", verb),
        ...rest.slice(2),
      ];
    default:
      if (verb.startsWith("--")) return ["workflow", "status", verb, ...rest];
      throw new Fault("usage.unknown-command", {
        what: `tenon queue ${quote(verb, 40)} was not run.`,
        why: `There is no such word; there are ${QUEUE_VERBS.join(", ")}.`,
        fix: Object.values(QUEUE_EXAMPLES),
      });
  }
}

function translateQueueAdd([first, second, third, ...rest]: readonly string[]): readonly string[] {
  const id = requireQueueWord(first, "id", "add");
  const kind = requireQueueWord(second, "kind", "add");
  if (!/^(?:feature|bugfix|research)$/.test(kind)) {
    throw createQueueFault("add", `${quote(kind, 40)} is no kind: it is feature, bugfix or research.`);
  }
  const priority = requireQueueWord(third, "priority", "add");
  const hasTitle = !isFlagWord(rest[0]);
  const title = hasTitle ? (rest[0] ?? "") : id;
  const flag = kind === "research" ? "--topic" : "--title";
  return [kind, flag, title, "--id", id, "--priority", priority, ...rest.slice(hasTitle ? 1 : 0)];
}

const isFlagWord = (word: string | undefined): boolean => word === undefined || word.startsWith("--");

function requireQueueWord(word: string | undefined, name: string, verb: QueueVerb): string {
  if (word === undefined || isFlagWord(word)) throw createQueueFault(verb, `Its ${name} is missing.`);
  return word;
}

const addRemovalReason = (rest: readonly string[]): readonly string[] =>
  rest.some((word) => word.startsWith("--reason")) ? rest : ["--reason", "Removed from the queue", ...rest];

const createQueueFault = (verb: QueueVerb, why: string): Fault =>
  new Fault("usage.unknown-command", {
    what: `tenon queue ${verb} was not run.`,
    why,
    fix: [QUEUE_EXAMPLES[verb], "tenon queue --help"],
  });
