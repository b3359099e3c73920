import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";

const EXAMPLES = {
  list: "tenon queue list",
  add: 'tenon queue add AUTH-001 feature 3 "Login with a second factor"',
  remove: "tenon queue remove AUTH-001",
  prioritize: "tenon queue prioritize AUTH-001 1",
} as const;

type Verb = keyof typeof EXAMPLES;

export const QUEUE_VERBS: readonly string[] = Object.keys(EXAMPLES);

/**
 * Translates `tenon queue`, which scripts use, to the commands that replaced it. Returns nothing for a help request.
 */
export function queueWords(words: readonly string[]): readonly string[] | undefined {
  const [, verb = "list", ...rest] = words;
  if (words.some((word) => word === "--help" || word === "-h")) return undefined;
  switch (verb) {
    case "list":
      return ["workflow", "status", ...rest];
    case "add":
      return addWords(rest);
    case "remove":
      return ["workflow", "abandon", said(rest[0], "id", verb), ...withReason(rest.slice(1))];
    case "prioritize":
      return ["workflow", "prioritize", said(rest[0], "id", verb), said(rest[1], "priority", verb), ...rest.slice(2)];
    default:
      if (verb.startsWith("--")) return ["workflow", "status", verb, ...rest];
      throw new Fault("usage.unknown-command", {
        what: `tenon queue ${quote(verb, 40)} was not run.`,
        why: `There is no such word; there are ${QUEUE_VERBS.join(", ")}.`,
        fix: Object.values(EXAMPLES),
      });
  }
}

function addWords([first, second, third, ...rest]: readonly string[]): readonly string[] {
  const id = said(first, "id", "add");
  const kind = said(second, "kind", "add");
  if (!/^(?:feature|bugfix|research)$/.test(kind)) {
    throw unusable("add", `${quote(kind, 40)} is no kind: it is feature, bugfix or research.`);
  }
  const priority = said(third, "priority", "add");
  const hasTitle = !isFlag(rest[0]);
  const title = hasTitle ? (rest[0] ?? "") : id;
  const flag = kind === "research" ? "--topic" : "--title";
  return [kind, flag, title, "--id", id, "--priority", priority, ...rest.slice(hasTitle ? 1 : 0)];
}

const isFlag = (word: string | undefined): boolean => word === undefined || word.startsWith("--");

function said(word: string | undefined, name: string, verb: Verb): string {
  if (word === undefined || isFlag(word)) throw unusable(verb, `Its ${name} is missing.`);
  return word;
}

const withReason = (rest: readonly string[]): readonly string[] =>
  rest.some((word) => word.startsWith("--reason")) ? rest : ["--reason", "Removed from the queue", ...rest];

const unusable = (verb: Verb, why: string): Fault =>
  new Fault("usage.unknown-command", {
    what: `tenon queue ${verb} was not run.`,
    why,
    fix: [EXAMPLES[verb], "tenon queue --help"],
  });
