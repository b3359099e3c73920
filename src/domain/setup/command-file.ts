import { type CommandPage, withFrontMatter } from "../plugin/page.ts";

export type CommandForm = "claude" | "copilot" | "cursor" | "gemini" | "opencode" | "skill" | "windsurf";

interface Form {
  readonly file: (name: string) => string;
  /** Placeholder for the user's text. */
  readonly argument: string;
  /** Prefix of another command's name. */
  readonly before: string;
  readonly text: (name: string, page: CommandPage) => string;
}

/** Clients without a placeholder send the user's text along with the command. */
const TYPED = "(what the user typed with this, if anything)";

const quoted = (text: string): string => JSON.stringify(text);
const hint = ({ argumentHint }: CommandPage): string[] =>
  argumentHint === "" ? [] : [`argument-hint: ${quoted(argumentHint)}`];

const FORMS: Readonly<Record<CommandForm, Form>> = {
  claude: {
    file: (name) => `sdd-${name}.md`,
    argument: "$ARGUMENTS",
    before: "/sdd-",
    text: (_, page) => withFrontMatter([`description: ${quoted(page.description)}`, ...hint(page)], page.body),
  },
  copilot: {
    file: (name) => `sdd-${name}.prompt.md`,
    argument: TYPED,
    before: "/sdd-",
    text: (_, page) =>
      withFrontMatter([`description: ${quoted(page.description)}`, "agent: agent", ...hint(page)], page.body),
  },
  cursor: {
    file: (name) => `sdd-${name}.md`,
    argument: TYPED,
    before: "/sdd-",
    text: (_, { description, body }) => `# ${description}\n\n${body}`,
  },
  gemini: {
    file: (name) => `${name}.toml`,
    argument: "{{args}}",
    before: "/sdd:",
    text: (_, { description, body }) => `description = ${quoted(description)}\nprompt = ${tomlText(body)}\n`,
  },
  opencode: {
    file: (name) => `sdd-${name}.md`,
    argument: "$ARGUMENTS",
    before: "/sdd-",
    text: (_, { description, body }) => withFrontMatter([`description: ${quoted(description)}`], body),
  },
  skill: {
    file: (name) => `sdd-${name}/SKILL.md`,
    argument: TYPED,
    before: "sdd-",
    text: (name, { description, body }) =>
      withFrontMatter(
        [`name: sdd-${name}`, `description: ${quoted(`${description}, in a repository that Tenon manages (sdd/).`)}`],
        body,
      ),
  },
  windsurf: {
    file: (name) => `sdd-${name}.md`,
    argument: TYPED,
    before: "/sdd-",
    text: (_, { description, body }) => withFrontMatter([`description: ${quoted(description)}`], body),
  },
};

export function commandFile(form: CommandForm, name: string, page: CommandPage): { name: string; text: string } {
  const { file, argument, before, text } = FORMS[form];
  const body = page.body
    .replaceAll("$ARGUMENTS", () => argument)
    .replaceAll(/(?<![\w/])\/sdd:(?=[a-z])/g, () => before);
  return { name: file(name), text: text(name, { ...page, body: `${body.trimEnd()}\n` }) };
}

/** Matches the names of command files that setup may have written. */
export const commandPattern = (form: CommandForm): RegExp =>
  new RegExp(`^${FORMS[form].file("NAME").replaceAll(/[.]/g, "\\.").replace("NAME", "[a-z-]+")}$`);

const tomlText = (text: string): string => (text.includes("'''") ? quoted(text) : `'''\n${text}'''`);
