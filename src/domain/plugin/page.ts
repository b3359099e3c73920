/** Commands after `/sdd:`, in the usual order of work: `assets/pages/<name>.md`. */
export const COMMAND_PAGE_NAMES: readonly string[] = [
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

export interface CommandPage {
  readonly description: string;
  readonly argumentHint: string;
  /** `$ARGUMENTS` is replaced by the user's text. */
  readonly body: string;
}

const COMMAND_PAGE_FORM = /^---\ndescription: ([^\n"]+)\nargument-hint: "([^\n"]*)"\n---\n\n([\s\S]+)$/;

export const addFrontMatter = (lines: readonly string[], body: string): string =>
  ["---", ...lines, "---", "", body].join("\n");

/** All pages have one form, so that every client's format is made without a parser. */
export function parseCommandPage(text: string): CommandPage {
  const [, description, argumentHint, body] = COMMAND_PAGE_FORM.exec(text) ?? [];
  if (description === undefined || argumentHint === undefined || body === undefined) {
    throw new Error("A page begins with its description and its argument-hint, and then says something.");
  }
  return { description, argumentHint, body };
}
