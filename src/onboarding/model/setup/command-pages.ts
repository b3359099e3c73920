import type { CommandFormat } from "./client-catalog.ts";

/** Commands after `/sdd:`, in the usual order of work: `assets/pages/<name>.md`. */
export const COMMAND_PAGE_NAMES: readonly string[] = (
  "init adopt explore change project feature bugfix research switch prioritize abandon rollback " +
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

const COMMAND_FILE_FORMATS: Readonly<Record<CommandFormat, CommandFileFormat>> = {
  claude: {
    file: (name) => `sdd-${name}.md`,
    argument: "$ARGUMENTS",
    before: "/sdd-",
    text: (_, page) =>
      addFrontMatter([`description: ${quoteJsonText(page.description)}`, ...formatArgumentHint(page)], page.body),
  },
  copilot: {
    file: (name) => `sdd-${name}.prompt.md`,
    argument: TYPED_TEXT_NOTE,
    before: "/sdd-",
    text: (_, page) =>
      addFrontMatter(
        [`description: ${quoteJsonText(page.description)}`, "agent: agent", ...formatArgumentHint(page)],
        page.body,
      ),
  },
  cursor: {
    file: (name) => `sdd-${name}.md`,
    argument: TYPED_TEXT_NOTE,
    before: "/sdd-",
    text: (_, { description, body }) => `# ${description}\n\n${body}`,
  },
  gemini: {
    file: (name) => `${name}.toml`,
    argument: "{{args}}",
    before: "/sdd:",
    text: (_, { description, body }) =>
      `description = ${quoteJsonText(description)}\nprompt = ${formatTomlText(body)}\n`,
  },
  opencode: {
    file: (name) => `sdd-${name}.md`,
    argument: "$ARGUMENTS",
    before: "/sdd-",
    text: (_, { description, body }) => addFrontMatter([`description: ${quoteJsonText(description)}`], body),
  },
  skill: {
    file: (name) => `sdd-${name}/SKILL.md`,
    argument: TYPED_TEXT_NOTE,
    before: "sdd-",
    text: (name, { description, body }) =>
      addFrontMatter(
        [
          `name: sdd-${name}`,
          `description: ${quoteJsonText(`${description}, in a repository that Tenon manages (sdd/).`)}`,
        ],
        body,
      ),
  },
  windsurf: {
    file: (name) => `sdd-${name}.md`,
    argument: TYPED_TEXT_NOTE,
    before: "/sdd-",
    text: (_, { description, body }) => addFrontMatter([`description: ${quoteJsonText(description)}`], body),
  },
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

/** Matches the names of command files that setup may have written. */
export const createCommandPattern = (form: CommandFormat): RegExp =>
  new RegExp(`^${COMMAND_FILE_FORMATS[form].file("NAME").replaceAll(/[.]/g, "\\.").replace("NAME", "[a-z-]+")}$`);

const formatTomlText = (text: string): string => (text.includes("'''") ? quoteJsonText(text) : `'''\n${text}'''`);
