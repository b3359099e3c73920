import { type SpecKind, getSpecKind } from "#domain/spec/yaml/read.ts";
import { renderTemplate } from "#domain/template.ts";
import type { WorkflowId } from "#domain/workflow/id.ts";
import type { Engine } from "../engine.ts";

const SPEC_TEMPLATES = { feature: "feature", bug: "bugfix", research: "research" } as const satisfies Record<
  SpecKind,
  string
>;

const MIN_SUMMARY_LENGTH = 20;
export const SUMMARY_PLACEHOLDER = "… say in a sentence or two what it is, for whom and why";

export interface SpecTemplateValues {
  readonly title: string;
  readonly summary?: string;
  readonly timebox?: string;
  readonly at: string;
}

export async function renderSpecTemplate(
  engine: Pick<Engine, "assets">,
  id: WorkflowId,
  { title, summary = "", timebox = "2h", at }: SpecTemplateValues,
): Promise<string> {
  const template = await engine.assets.text(`templates/spec/${SPEC_TEMPLATES[getSpecKind(id)]}`);
  return renderTemplate(template, {
    id,
    // JSON strings are valid YAML for any content.
    title: JSON.stringify(title.trim()),
    summary: JSON.stringify(summary.trim().length < MIN_SUMMARY_LENGTH ? SUMMARY_PLACEHOLDER : summary.trim()),
    timebox: JSON.stringify(timebox),
    at: JSON.stringify(at),
  });
}
