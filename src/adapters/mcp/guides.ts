import { CHANGE_STAGES } from "#domain/change/flows.ts";
import { PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import { getWorkflowFlow } from "#domain/workflow/flows.ts";

export type Pipeline = "project" | "change" | "workflow/feature" | "workflow/bugfix" | "workflow/research";

const stagesOf = (kind: Parameters<typeof getWorkflowFlow>[0]): string[] =>
  getWorkflowFlow(kind).stages.map(({ name }) => name);

export const GUIDED_STAGES: Readonly<Record<Pipeline, readonly string[]>> = {
  project: PROJECT_DOCUMENT_STAGES,
  change: CHANGE_STAGES,
  "workflow/feature": stagesOf("feature"),
  "workflow/bugfix": stagesOf("bugfix"),
  "workflow/research": stagesOf("research"),
};

export const PIPELINES = Object.keys(GUIDED_STAGES) as Pipeline[];

export const guideAsset = (pipeline: Pipeline, stage: string): string => `guides/${pipeline}/${stage}.md`;

const uriOf = (pipeline: Pipeline, stage: string): string => `sdd://guides/${pipeline}/${stage}`;

export const guideTemplate = (pipeline: Pipeline): string => uriOf(pipeline, "{stage}");

export function listGuides() {
  return PIPELINES.flatMap((pipeline) =>
    GUIDED_STAGES[pipeline].map((stage) => ({
      uri: uriOf(pipeline, stage),
      name: `${pipeline}/${stage}`,
      title: `Guide to ${stage} in a ${pipeline.replace("workflow/", "")}`,
      mimeType: "text/markdown",
    })),
  );
}

export function guideAt(uri: string): string | undefined {
  const guide = listGuides().find((candidate) => candidate.uri === uri);
  return guide && `guides/${guide.name}.md`;
}
