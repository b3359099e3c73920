import type { CommandFormat } from "./client-catalog.ts";

/** Commands after `/sdd:`, in the usual order of work: `assets/pages/<name>.md`. */
export const COMMAND_PAGE_NAMES: readonly string[] = (
  "init adopt explore quick change project feature bugfix research switch prioritize abandon rollback " +
  "steering design review impl roadmap status handover knowledge trust"
).split(" ");

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

interface CommandFileFormat {
  readonly file: (name: string) => string;
  /** Placeholder for the user's text. */
  readonly argument: string;
  /** Prefix of another command's name. */
  readonly before: string;
  readonly text: (name: string, page: CommandPage) => string;
}

/** Clients without a placeholder send the user's text along with the command. */
const TYPED_TEXT_NOTE = "(what the user typed with this, if anything)";

const quoteJsonText = (text: string): string => JSON.stringify(text);
const formatArgumentHint = ({ argumentHint }: CommandPage): string[] =>
  argumentHint === "" ? [] : [`argument-hint: ${quoteJsonText(argumentHint)}`];

const formatDescription = ({ description }: CommandPage): string => `description: ${quoteJsonText(description)}`;

const MARKDOWN_FORMAT: CommandFileFormat = {
  file: (name) => `sdd-${name}.md`,
  argument: TYPED_TEXT_NOTE,
  before: "/sdd-",
  text: (_, page) => addFrontMatter([formatDescription(page)], page.body),
};

const COMMAND_FILE_FORMATS: Readonly<Record<CommandFormat, CommandFileFormat>> = {
  claude: {
    ...MARKDOWN_FORMAT,
    argument: "$ARGUMENTS",
    text: (_, page) => addFrontMatter([formatDescription(page), ...formatArgumentHint(page)], page.body),
  },
  copilot: {
    ...MARKDOWN_FORMAT,
    file: (name) => `sdd-${name}.prompt.md`,
    text: (_, page) =>
      addFrontMatter([formatDescription(page), "agent: agent", ...formatArgumentHint(page)], page.body),
  },
  cursor: { ...MARKDOWN_FORMAT, text: (_, { description, body }) => `# ${description}\n\n${body}` },
  gemini: {
    file: (name) => `${name}.toml`,
    argument: "{{args}}",
    before: "/sdd:",
    text(_, { description, body }) {
      const prompt = body.includes("'''") ? quoteJsonText(body) : `'''\n${body}'''`;
      return `description = ${quoteJsonText(description)}\nprompt = ${prompt}\n`;
    },
  },
  opencode: { ...MARKDOWN_FORMAT, argument: "$ARGUMENTS" },
  skill: {
    file: (name) => `sdd-${name}/SKILL.md`,
    argument: TYPED_TEXT_NOTE,
    before: "sdd-",
    text(name, page) {
      const description = `${page.description}, in a repository that Tenon manages (sdd/).`;
      return addFrontMatter([`name: sdd-${name}`, formatDescription({ ...page, description })], page.body);
    },
  },
  windsurf: MARKDOWN_FORMAT,
};

export function createCommandFile(
  form: CommandFormat,
  name: string,
  page: CommandPage,
): { name: string; text: string } {
  const { file, argument, before, text } = COMMAND_FILE_FORMATS[form];
  const body = page.body
    .replaceAll("$ARGUMENTS", () => argument)
    .replaceAll(/(?<![\w/])\/sdd:(?=[a-z])/g, () => before);
  return { name: file(name), text: text(name, { ...page, body: `${body.trimEnd()}\n` }) };
}

export const createCommandPattern = (form: CommandFormat): RegExp =>
  new RegExp(`^${COMMAND_FILE_FORMATS[form].file("NAME").replaceAll(/[.]/g, "\\.").replace("NAME", "[a-z-]+")}$`);
