import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";

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
