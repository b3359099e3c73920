import { parseCommandArguments } from "./command-arguments.ts";
import { EXIT_CODES, type ExitCode, printCliText, printHelpText } from "./command-table.ts";
import type { CliHost } from "./run-cli.ts";
import { Fault } from "#kernel/model/fault.ts";
import { findClosestWord, quote } from "#kernel/model/text-format.ts";

export async function runMcpCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  const command = { path: "mcp", operation: "workspace.status", summary: "", examples: [] } as const;
  const { input, common } = parseCommandArguments(command, words, {
    properties: { toolsets: { type: "string" }, structured: { type: "boolean" } },
  });
  if (common.help) return printHelpText(house, await house.asset("cli/mcp.md"));
  const toolsets =
    typeof input["toolsets"] === "string" ? input["toolsets"].split(",").map((name) => name.trim()) : undefined;
  await house.serveMcp({ argument: common.workspace, toolsets, isStructured: input["structured"] === true });
  return EXIT_CODES.done;
}

const isHelpWord = (word: string | undefined): boolean => word === "--help" || word === "-h";

const createUsageFault = (what: string, why: string, fix: string): Fault =>
  new Fault("usage.bad-flag", { what, why, fix });

const COMPLETION_SHELLS = ["bash", "zsh", "fish"];

export async function printCompletionScript([shell = ""]: readonly string[], house: CliHost): Promise<ExitCode> {
  const usage = `tenon completion <${COMPLETION_SHELLS.join("|")}>\n\nFor example: source <(tenon completion bash)\n`;
  if (isHelpWord(shell)) return printHelpText(house, usage);
  if (!COMPLETION_SHELLS.includes(shell)) {
    const near = findClosestWord(shell, COMPLETION_SHELLS);
    const what = shell === "" ? "Missing argument `<shell>`" : `Unknown shell ${quote(shell, 40)}`;
    const hint = near === undefined ? ": choose bash, zsh or fish." : `. Did you mean "${near}"?`;
    throw createUsageFault(`${what}${hint}`, "Nothing was printed.", `tenon completion ${near ?? "bash"}`);
  }
  return printCliText(house, await house.asset(`completion/tenon.${shell}`));
}

/** `tenon merge-driver %O %A %B %P`: git calls it, people do not. */
export async function runMergeDriverCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  const usage = "tenon merge-driver <base> <ours> <theirs> <path>";
  const setup = "tenon init --merge-drivers";
  if (isHelpWord(words[0]))
    return printHelpText(house, `${usage}\n\nGit calls it while merging; set it up with: ${setup}\n`);
  const [base, ours, theirs, path, more] = words;
  if (!base || !ours || !theirs || !path || more !== undefined)
    throw createUsageFault("Nothing was merged.", `Git gives it three files and a path: ${usage}.`, setup);
  return (await house.mergeFiles({ base, ours, theirs, path })) ? EXIT_CODES.done : EXIT_CODES.fault;
}

const DEMO_FLAGS = ["--verbose", "--keep"];

export async function runDemoCommand(words: readonly string[], house: CliHost): Promise<ExitCode> {
  if (words.some(isHelpWord)) return printHelpText(house, await house.asset("cli/demo.md"));
  const unknown = words.find((word) => !DEMO_FLAGS.includes(word));
  if (unknown !== undefined) {
    const why = `${quote(unknown, 40)} is not one of ${DEMO_FLAGS.join(", ")}.`;
    throw createUsageFault("The demo was not shown.", why, "tenon demo");
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

/** For scripts. Returns nothing for a help request. */
export function translateQueueCommand(words: readonly string[]): readonly string[] | undefined {
  const [, verb = "list", ...rest] = words;
  if (words.some(isHelpWord)) return undefined;
  switch (verb) {
    case "list":
      return ["workflow", "status", ...rest];
    case "add":
      return translateQueueAdd(rest);
    case "remove": {
      const [id, ...flags] = rest;
      const reason = flags.some((word) => word.startsWith("--reason")) ? [] : ["--reason", "Removed from the queue"];
      return ["workflow", "abandon", requireQueueWord(id, "id", verb), ...reason, ...flags];
    }
    case "prioritize": {
      const [id, priority, ...flags] = rest;
      const named = [requireQueueWord(id, "id", verb), requireQueueWord(priority, "priority", verb)];
      return ["workflow", "prioritize", ...named, ...flags];
    }
    default:
      if (verb.startsWith("--")) return ["workflow", "status", verb, ...rest];
      throw new Fault("usage.unknown-command", {
        what: `tenon queue ${quote(verb, 40)} was not run.`,
        why: `Choose one of ${QUEUE_VERBS.join(", ")}.`,
        fix: Object.values(QUEUE_EXAMPLES),
      });
  }
}

function translateQueueAdd([first, second, third, ...rest]: readonly string[]): readonly string[] {
  const id = requireQueueWord(first, "id", "add");
  const kind = requireQueueWord(second, "kind", "add");
  if (!/^(?:feature|bugfix|research)$/.test(kind)) {
    throw createQueueFault("add", `${quote(kind, 40)} is not a kind: choose feature, bugfix or research.`);
  }
  const priority = requireQueueWord(third, "priority", "add");
  const hasTitle = !isFlagWord(rest[0]);
  const title = hasTitle ? (rest[0] ?? "") : id;
  return [kind, "--description", title, "--id", id, "--priority", priority, ...rest.slice(hasTitle ? 1 : 0)];
}

const isFlagWord = (word: string | undefined): boolean => word === undefined || word.startsWith("--");

function requireQueueWord(word: string | undefined, name: string, verb: QueueVerb): string {
  if (word === undefined || isFlagWord(word)) throw createQueueFault(verb, `Missing argument \`<${name}>\`.`);
  return word;
}

const createQueueFault = (verb: QueueVerb, why: string): Fault =>
  new Fault("usage.unknown-command", {
    what: `tenon queue ${verb} was not run.`,
    why,
    fix: [QUEUE_EXAMPLES[verb], "tenon queue --help"],
  });
