import { type SpecKind, specKind } from "#domain/spec/yaml/read.ts";
import { renderTemplate } from "#domain/template.ts";
import type { WorkflowId } from "#domain/workflow/id.ts";
import type { Engine } from "../engine.ts";

const TEMPLATES = { feature: "feature", bug: "bugfix", research: "research" } as const satisfies Record<
  SpecKind,
  string
>;

const LEAST = 20;
export const OPEN = "… say in a sentence or two what it is, for whom and why";

export interface SpecBeginning {
  readonly title: string;
  readonly summary?: string;
  readonly timebox?: string;
  readonly at: string;
}

export async function beginSpec(
  engine: Pick<Engine, "assets">,
  id: WorkflowId,
  { title, summary = "", timebox = "2h", at }: SpecBeginning,
): Promise<string> {
  const template = await engine.assets.text(`templates/spec/${TEMPLATES[specKind(id)]}`);
  return renderTemplate(template, {
    id,
    // JSON strings are valid YAML for any content.
    title: JSON.stringify(title.trim()),
    summary: JSON.stringify(summary.trim().length < LEAST ? OPEN : summary.trim()),
    timebox: JSON.stringify(timebox),
    at: JSON.stringify(at),
  });
}
