import { sanitizeText } from "#kernel/model/text-format.ts";
import type { StackCheck } from "#checking/model/stack/stack-check.ts";
import type { StackProfile } from "#checking/model/stack/stack-profile.ts";
import type { TemplateValues } from "#kernel/model/template.ts";
import { formatSafeListItem } from "./markdown-section.ts";

export interface SteeringStack {
  /** `.` for the whole workspace. */
  readonly directory: string;
  readonly profile: Pick<
    StackProfile,
    "id" | "title" | "description" | "test_framework" | "patterns" | "conventions" | "enforcement"
  >;
  readonly checks: readonly StackCheck[];
}

type ProductText = "purpose" | "users" | "capabilities" | "vision";
export type ProductTexts = { readonly [Name in ProductText]?: string | undefined } & {
  readonly [Name in "success_criteria" | "anti_goals"]?: readonly string[] | undefined;
};

export function createProductValues(texts: ProductTexts): TemplateValues {
  const { purpose = "", users = "", capabilities = "", vision = "" } = texts;
  const list = (items: readonly string[] = []): string => items.map(formatSafeListItem).join("\n");
  const [success_criteria, anti_goals] = [list(texts.success_criteria), list(texts.anti_goals)];
  return addAbsentFlags({ purpose, users, capabilities, vision, success_criteria, anti_goals });
}

export function createTechValues(stacks: readonly SteeringStack[]): TemplateValues {
  const passing = (...kinds: readonly StackCheck["kind"][]): string[] =>
    listCheckCommands(stacks, kinds).map(({ command, where }) => `\`${command}\` passes${where}.`);
  return addAbsentFlags({
    technologies: formatUniqueItems(
      stacks.map(
        ({ profile: { title, description }, directory: at }) => `${title}${formatStackLocation(at)}: ${description}`,
      ),
    ),
    types: formatUniqueItems(passing("types")),
    quality: formatUniqueItems([...stacks.flatMap(({ profile }) => profile.enforcement), ...passing("lint", "format")]),
    testing: formatUniqueItems([
      ...stacks.map(({ profile, directory }) => `Tests${formatStackLocation(directory)}: ${profile.test_framework}.`),
      ...passing("test"),
    ]),
    tools: formatUniqueItems(stacks.flatMap(({ checks }) => checks.map(({ tool }) => tool))),
    commands: listCheckCommands(stacks, ["build", "test", "lint", "types", "format"])
      .map(({ kind, command, where }) => `# ${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}${where}\n${command}`)
      .join("\n"),
  });
}

export function createStructureValues(stacks: readonly SteeringStack[]): TemplateValues {
  return addAbsentFlags({
    patterns: formatUniqueItems(
      stacks.flatMap(({ profile, directory }) =>
        Object.entries(profile.patterns).map(([what, glob]) => {
          const path = directory === "." ? glob : `${directory}/${glob}`;
          return `${what}: \`${path}\``;
        }),
      ),
    ),
    conventions: formatUniqueItems(stacks.flatMap(({ profile }) => profile.conventions)),
  });
}

/** Adds a flag such as `no_purpose`, which lets a template show other text for a missing value. */
function addAbsentFlags(values: Readonly<Record<string, string>>): TemplateValues {
  const absent = Object.entries(values).map(([name, text]) => [`no_${name}`, text.trim() === ""]);
  return { ...values, ...Object.fromEntries(absent) };
}

/** Without duplicates. A profile may come from the project itself, so each text is only one list line. */
const formatUniqueItems = (texts: readonly string[]): string =>
  [...new Set(texts.map((text) => formatSafeListItem(sanitizeText(text, 400))))].join("\n");

const formatStackLocation = (directory: string): string => (directory === "." ? "" : ` in ${directory}`);

function listCheckCommands(stacks: readonly SteeringStack[], kinds: readonly StackCheck["kind"][]) {
  return kinds.flatMap((kind) =>
    stacks.flatMap(({ checks, directory }) =>
      checks
        .filter((check) => check.kind === kind)
        .map((check) => ({ kind, command: formatTypedCommand(check), where: formatStackLocation(directory) })),
    ),
  );
}

function formatTypedCommand({ run, report }: StackCheck): string {
  if ("shell" in run) return sanitizeText(run.shell, 200);
  const flag = run.argv.findIndex((word, i) => i >= countProgramWords(run.argv) && word.startsWith("-"));
  if (report === undefined || flag < 0) return sanitizeText(run.argv.join(" "), 200);
  const places = run.argv.slice(flag).filter((word) => /^\.{1,2}(?:\/|$)/.test(word));
  return sanitizeText([...run.argv.slice(0, flag), ...places].join(" "), 200);
}

/** The words that identify the program. `node --test` needs both: plain `node` runs any file it is given. */
const countProgramWords = ([program, first]: readonly string[]): number =>
  program === "node" && first === "--test" ? 2 : 1;

/** Permissions that a client may grant an agent: `Bash(npm run lint:*)`. */
export function suggestClientPermissions(stacks: readonly SteeringStack[]): string[] {
  const commands = stacks.flatMap(({ checks }) => checks.flatMap(({ run }) => ("argv" in run ? [run.argv] : [])));
  const prefixes = commands.map((argv) => {
    const end = argv.findIndex((word, i) => i >= countProgramWords(argv) && !/^[a-z][a-z0-9:-]*$/.test(word));
    return sanitizeText(argv.slice(0, Math.min(end < 0 ? argv.length : end, 3)).join(" "), 100);
  });
  return [...new Set(prefixes)].toSorted().map((prefix) => `Bash(${prefix}:*)`);
}
