import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";

const USAGE =
  "tenon queue list | add <ID> <feature|bugfix|research> <priority> [title] | remove <ID> | prioritize <ID> <priority>";

/** The queue by the words that scripts know it by; each is another name for a command of its own. */
export function queueWords(words: readonly string[]): readonly string[] {
  const [, verb = "list", ...rest] = words;
  const isFlag = (word: string | undefined): boolean => word === undefined || word.startsWith("-");
  const [id, kind, priority, title] = rest;
  switch (verb) {
    case "list":
      return ["workflow", "status", ...rest];
    case "add": {
      if (isFlag(id) || isFlag(kind) || isFlag(priority)) throw unusable(verb);
      const name = kind === "research" ? "topic" : "title";
      const said = isFlag(title) ? (id ?? "") : (title ?? "");
      const more = rest.slice(isFlag(title) ? 3 : 4);
      if (!/^(?:feature|bugfix|research)$/.test(kind ?? "")) throw unusable(verb);
      return [kind ?? "", `--${name}`, said, "--id", id ?? "", "--priority", priority ?? "", ...more];
    }
    case "remove":
      if (isFlag(id)) throw unusable(verb);
      return ["workflow", "abandon", id ?? "", ...withReason(rest.slice(1))];
    case "prioritize":
      return ["workflow", "prioritize", ...rest];
    case "--help":
    case "-h":
      return ["workflow", "--help"];
    default:
      throw unusable(verb);
  }
}

const withReason = (rest: readonly string[]): readonly string[] =>
  rest.some((word) => word.startsWith("--reason")) ? rest : ["--reason", "Removed from the queue", ...rest];

function unusable(verb: string): Fault {
  return new Fault("usage.unknown-command", {
    what: `tenon queue ${quote(verb, 40)} was not run.`,
    why: "The queue is listed, added to, removed from and prioritized.",
    fix: USAGE,
  });
}
