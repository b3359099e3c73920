import { type SpecKind, specKind } from "#domain/spec/yaml/read.ts";
import { renderTemplate } from "#domain/template.ts";
import type { WorkflowId } from "#domain/workflow/id.ts";
import type { Engine } from "../engine.ts";

const TEMPLATES = { feature: "feature", bug: "bugfix", research: "research" } as const satisfies Record<
  SpecKind,
  string
>;

/** Shorter ones do not say anything yet. */
const LEAST = 20;
export const OPEN = "… say in a sentence or two what it is, for whom and why";

export interface SpecBeginning {
  /** Title of a feature or a bug; topic of research. */
  readonly title: string;
  /** Summary of a feature, symptom of a bug. */
  readonly summary?: string;
  readonly timebox?: string;
  readonly at: string;
}

/** A new spec document, which is a draft as it stands. */
export async function beginSpec(
  engine: Pick<Engine, "assets">,
  id: WorkflowId,
  { title, summary = "", timebox = "2h", at }: SpecBeginning,
): Promise<string> {
  const template = await engine.assets.text(`templates/spec/${TEMPLATES[specKind(id)]}`);
  return renderTemplate(template, {
    id,
    // A JSON text is a YAML text too, whatever is in it.
    title: JSON.stringify(title.trim()),
    summary: JSON.stringify(summary.trim().length < LEAST ? OPEN : summary.trim()),
    timebox: JSON.stringify(timebox),
    at: JSON.stringify(at),
  });
}
