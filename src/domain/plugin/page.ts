/** What a user types after `/sdd:`, in the order in which work usually meets it: `assets/pages/<name>.md`. */
export const PAGES: readonly string[] = [
  "init",
  "adopt",
  "explore",
  "change",
  "project",
  "feature",
  "bugfix",
  "research",
  "switch",
  "prioritize",
  "abandon",
  "rollback",
  "steering",
  "design",
  "review",
  "impl",
  "roadmap",
  "status",
  "handover",
  "knowledge",
  "trust",
];

/** The page of a command: what an agent is told when its user types it. */
export interface CommandPage {
  readonly description: string;
  /** What may stand behind the command; empty where nothing does. */
  readonly argumentHint: string;
  /** `$ARGUMENTS` stands for what the user typed behind it. */
  readonly body: string;
}

const FORM = /^---\ndescription: ([^\n"]+)\nargument-hint: "([^\n"]*)"\n---\n\n([\s\S]+)$/;

/** A text below its front matter, a line a field. */
export const withFrontMatter = (lines: readonly string[], body: string): string =>
  ["---", ...lines, "---", "", body].join("\n");

/** Our own texts have one form, so that every client's own is made of it without a parser. */
export function parsePage(text: string): CommandPage {
  const [, description, argumentHint, body] = FORM.exec(text) ?? [];
  if (description === undefined || argumentHint === undefined || body === undefined) {
    throw new Error("A page begins with its description and its argument-hint, and then says something.");
  }
  return { description, argumentHint, body };
}
