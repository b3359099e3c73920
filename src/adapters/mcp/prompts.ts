import type { GetPromptResult, ListPromptsResult } from "@modelcontextprotocol/server";
import { Fault } from "#domain/fault.ts";
import { PROJECT_MODES } from "#domain/project/flow.ts";
import { sanitizeText } from "#domain/quote.ts";
import { renderTemplate, type TemplateValues } from "#domain/template.ts";
import { guideAsset, GUIDED_STAGES, type Pipeline } from "./guides.ts";

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly values?: readonly string[];
}

/** How a text is offered as a prompt. The text is `assets/prompts/<name>.md`; every argument is optional. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** The pipeline that its `stage` selects a guide from. Without a stage, its own text lists the guides. */
  readonly guidesOf?: Pipeline;
  readonly saysStatus?: boolean;
}

const stageOf = (pipeline: Pipeline): readonly Argument[] => [
  { name: "stage", description: "Without it, every stage in a line", values: GUIDED_STAGES[pipeline] },
];

export const PROMPTS: readonly Prompt[] = [
  {
    name: "sdd-start",
    title: "Start a project",
    description: "Take a new project from an idea to tasks that cover it",
    arguments: [
      { name: "project_name", description: "What it is called" },
      { name: "mode", description: "guided explains more and asks for more clarity", values: PROJECT_MODES },
    ],
  },
  {
    name: "sdd-status",
    title: "Where the work stands",
    description: "What is under way in this workspace, and what comes next",
    arguments: [],
    saysStatus: true,
  },
  {
    name: "sdd-stage-guide",
    title: "Guide of a project's stage",
    description: "How to do a stage of the project pipeline well",
    arguments: stageOf("project"),
    guidesOf: "project",
  },
  {
    name: "sdd-change-guide",
    title: "Guide of a change's stage",
    description: "How to do a stage of a change well",
    arguments: stageOf("change"),
    guidesOf: "change",
  },
  {
    name: "sdd-memory-guide",
    title: "Guide to memory",
    description: "What to remember, under which name, and how to find it again",
    arguments: [],
  },
  {
    name: "sdd-explore-guide",
    title: "Guide to exploring",
    description: "How to think something through with the user before any work",
    arguments: [],
  },
];

interface Sources {
  readonly asset: (name: string) => Promise<string>;
  readonly status: () => Promise<{ readonly status: string } | { readonly absence: string }>;
}

export function listPrompts(): ListPromptsResult {
  return {
    prompts: PROMPTS.map(({ name, title, description, arguments: all }) => ({
      name,
      title,
      description,
      ...(all.length > 0
        ? { arguments: all.map((each) => ({ name: each.name, description: described(each), required: false })) }
        : {}),
    })),
  };
}

const described = ({ description, values }: Argument): string =>
  values ? `${description}: ${values.join(", ")}` : description;

export const saysStatus = (name: string): boolean => promptNamed(name).saysStatus ?? false;

export async function getPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
  { asset, status }: Sources,
): Promise<GetPromptResult> {
  const prompt = promptNamed(name);
  const values = valuesOf(prompt, given);
  const { stage } = values;
  const text =
    prompt.guidesOf && stage
      ? await asset(guideAsset(prompt.guidesOf, stage))
      : renderTemplate(await asset(`prompts/${name}.md`), {
          ...values,
          ...(prompt.saysStatus ? { status: undefined, absence: undefined, ...(await status()) } : {}),
        } satisfies TemplateValues);
  return {
    description: prompt.description,
    messages: [{ role: "user", content: { type: "text", text: text.trimEnd() } }],
  };
}

export function completeArgument(name: string, argument: string, value: string): string[] {
  const prompt = promptNamed(name);
  const { values = [] } = argumentNamed(prompt, argument);
  return values.filter((candidate) => candidate.startsWith(value));
}

/** Checks every argument. A client with a form sends empty fields as empty texts. */
function valuesOf(prompt: Prompt, given: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = Object.fromEntries(
    prompt.arguments.map((argument) => [argument.name, undefined]),
  );
  for (const [name, text] of Object.entries(given)) {
    const argument = argumentNamed(prompt, name);
    const value = sanitizeText(text.trim(), 200);
    if (value !== "" && argument.values && !argument.values.includes(value)) throw none(name, value, argument.values);
    values[name] = value || undefined;
  }
  return values;
}

function promptNamed(name: string): Prompt {
  const prompt = PROMPTS.find((candidate) => candidate.name === name);
  if (prompt) return prompt;
  throw none("prompt", name, namesOf(PROMPTS));
}

function argumentNamed(prompt: Prompt, name: string): Argument {
  const argument = prompt.arguments.find((candidate) => candidate.name === name);
  if (argument) return argument;
  throw none(`argument of ${prompt.name} called`, name, namesOf(prompt.arguments));
}

const namesOf = (named: readonly { readonly name: string }[]): string[] => named.map(({ name }) => name);

function none(kind: string, name: string, there: readonly string[]): Fault {
  const isAny = there.length > 0;
  return new Fault("input.invalid", {
    what: `There is no ${kind} ${sanitizeText(name, 60)}.`,
    why: isAny ? `There are: ${there.join(", ")}.` : "There are none.",
    fix: isAny ? "Ask again with one of these." : "Ask again without it.",
  });
}
