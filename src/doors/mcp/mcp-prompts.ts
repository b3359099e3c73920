import type { GetPromptResult, ListPromptsResult } from "@modelcontextprotocol/server";
import { Fault } from "#kernel/model/fault.ts";
import { PROJECT_MODES } from "#kernel/model/stages/project-stages.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import { formatGuideAsset, GUIDED_STAGES, type GuidedPipeline } from "./stage-guides.ts";

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly values?: readonly string[];
}

/** How a text is offered as a prompt. The text is `assets/prompts/<name>.md`; every argument is optional. */
interface McpPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** The pipeline that its `stage` selects a guide from. Without a stage, its own text lists the guides. */
  readonly guidesOf?: GuidedPipeline;
  readonly saysStatus?: boolean;
}

const createStageArgument = (pipeline: GuidedPipeline): readonly PromptArgument[] => [
  { name: "stage", description: "Without it, every stage in a line", values: GUIDED_STAGES[pipeline] },
];

export const MCP_PROMPTS: readonly McpPrompt[] = [
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
    arguments: createStageArgument("project"),
    guidesOf: "project",
  },
  {
    name: "sdd-change-guide",
    title: "Guide of a change's stage",
    description: "How to do a stage of a change well",
    arguments: createStageArgument("change"),
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

interface PromptSources {
  readonly asset: (name: string) => Promise<string>;
  readonly status: () => Promise<{ readonly status: string } | { readonly absence: string }>;
}

export function listMcpPrompts(): ListPromptsResult {
  return {
    prompts: MCP_PROMPTS.map(({ name, title, description, arguments: all }) => ({
      name,
      title,
      description,
      ...(all.length > 0
        ? {
            arguments: all.map((each) => ({
              name: each.name,
              description: describePromptArgument(each),
              required: false,
            })),
          }
        : {}),
    })),
  };
}

const describePromptArgument = ({ description, values }: PromptArgument): string =>
  values ? `${description}: ${values.join(", ")}` : description;

export const isStatusPrompt = (name: string): boolean => findPrompt(name).saysStatus ?? false;

export async function renderPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
  { asset, status }: PromptSources,
): Promise<GetPromptResult> {
  const prompt = findPrompt(name);
  const values = checkPromptValues(prompt, given);
  const { stage } = values;
  const text =
    prompt.guidesOf && stage
      ? await asset(formatGuideAsset(prompt.guidesOf, stage))
      : renderTemplate(await asset(`prompts/${name}.md`), {
          ...values,
          ...(prompt.saysStatus ? { status: undefined, absence: undefined, ...(await status()) } : {}),
        } satisfies TemplateValues);
  return {
    description: prompt.description,
    messages: [{ role: "user", content: { type: "text", text: text.trimEnd() } }],
  };
}

export function completePromptArgument(name: string, argument: string, value: string): string[] {
  const prompt = findPrompt(name);
  const { values = [] } = findPromptArgument(prompt, argument);
  return values.filter((candidate) => candidate.startsWith(value));
}

/** Checks every argument. A client with a form sends empty fields as empty texts. */
function checkPromptValues(
  prompt: McpPrompt,
  given: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = Object.fromEntries(
    prompt.arguments.map((argument) => [argument.name, undefined]),
  );
  for (const [name, text] of Object.entries(given)) {
    const argument = findPromptArgument(prompt, name);
    const value = sanitizeText(text.trim(), 200);
    if (value !== "" && argument.values && !argument.values.includes(value))
      throw createUnknownPromptFault(name, value, argument.values);
    values[name] = value || undefined;
  }
  return values;
}

function findPrompt(name: string): McpPrompt {
  const prompt = MCP_PROMPTS.find((candidate) => candidate.name === name);
  if (prompt) return prompt;
  throw createUnknownPromptFault("prompt", name, listPromptNames(MCP_PROMPTS));
}

function findPromptArgument(prompt: McpPrompt, name: string): PromptArgument {
  const argument = prompt.arguments.find((candidate) => candidate.name === name);
  if (argument) return argument;
  throw createUnknownPromptFault(`argument of ${prompt.name} called`, name, listPromptNames(prompt.arguments));
}

const listPromptNames = (named: readonly { readonly name: string }[]): string[] => named.map(({ name }) => name);

function createUnknownPromptFault(kind: string, name: string, there: readonly string[]): Fault {
  const isAny = there.length > 0;
  return new Fault("input.invalid", {
    what: `There is no ${kind} ${sanitizeText(name, 60)}.`,
    why: isAny ? `There are: ${there.join(", ")}.` : "There are none.",
    fix: isAny ? "Ask again with one of these." : "Ask again without it.",
  });
}
