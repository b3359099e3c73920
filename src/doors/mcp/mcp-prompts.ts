import type { GetPromptResult, ListPromptsResult } from "@modelcontextprotocol/server";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import prompts from "./mcp-prompts.json" with { type: "json" };
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

export const MCP_PROMPTS: readonly McpPrompt[] = (prompts as readonly McpPrompt[]).map((prompt) => {
  if (!prompt.guidesOf) return prompt;
  const values = GUIDED_STAGES[prompt.guidesOf];
  return { ...prompt, arguments: [{ name: "stage", description: "Without it, every stage in a line", values }] };
});

export const listMcpPrompts = (): ListPromptsResult => ({
  prompts: MCP_PROMPTS.map(({ name, title, description, arguments: all }) => {
    const shown = all.map(({ values, ...each }) => ({
      name: each.name,
      description: values ? `${each.description}: ${values.join(", ")}` : each.description,
      required: false,
    }));
    return { name, title, description, ...(shown.length > 0 ? { arguments: shown } : {}) };
  }),
});

export const isStatusPrompt = (name: string): boolean => findPrompt(name).saysStatus ?? false;

export async function renderPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
  {
    asset,
    status,
  }: {
    readonly asset: (name: string) => Promise<string>;
    readonly status: () => Promise<{ readonly status: string } | { readonly absence: string }>;
  },
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
  const { values = [] } = findPromptArgument(findPrompt(name), argument);
  return values.filter((candidate) => candidate.startsWith(value));
}

/** Checks every argument. A client with a form sends empty fields as empty texts. */
function checkPromptValues(
  prompt: McpPrompt,
  given: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const values = new Map<string, string | undefined>(prompt.arguments.map(({ name }) => [name, undefined]));
  for (const [name, text] of Object.entries(given)) {
    const { values: allowed } = findPromptArgument(prompt, name);
    const value = sanitizeText(text.trim(), 200);
    if (value !== "" && allowed && !allowed.includes(value)) throw createUnknownPromptFault(name, value, allowed);
    values.set(name, value || undefined);
  }
  return Object.fromEntries(values);
}

const findPrompt = (name: string): McpPrompt => findNamed(MCP_PROMPTS, name, "prompt");

const findPromptArgument = (prompt: McpPrompt, name: string): PromptArgument =>
  findNamed(prompt.arguments, name, `argument of ${prompt.name} called`);

function findNamed<T extends { readonly name: string }>(all: readonly T[], name: string, kind: string): T {
  const found = all.find((candidate) => candidate.name === name);
  if (found) return found;
  throw createUnknownPromptFault(
    kind,
    name,
    all.map((each) => each.name),
  );
}

function createUnknownPromptFault(kind: string, name: string, there: readonly string[]): Fault {
  const what = `Unknown ${kind} ${sanitizeText(name, 60)}.`;
  if (there.length === 0)
    return new Fault("input.invalid", { what, why: "It takes none.", fix: "Ask again without it." });
  return new Fault("input.invalid", {
    what,
    why: `Choose one of ${there.join(", ")}.`,
    fix: "Ask again with one of these.",
  });
}
