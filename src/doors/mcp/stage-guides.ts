import { CHANGE_STAGES } from "#kernel/model/stages/change-stages.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { getWorkflowFlow } from "#planning/model/workflow/workflow-record.ts";

export type GuidedPipeline = "project" | "change" | "workflow/feature" | "workflow/bugfix" | "workflow/research";

const listWorkflowStages = (kind: Parameters<typeof getWorkflowFlow>[0]): string[] =>
  getWorkflowFlow(kind).stages.map(({ name }) => name);

export const GUIDED_STAGES: Readonly<Record<GuidedPipeline, readonly string[]>> = {
  project: PROJECT_DOCUMENT_STAGES,
  change: CHANGE_STAGES,
  "workflow/feature": listWorkflowStages("feature"),
  "workflow/bugfix": listWorkflowStages("bugfix"),
  "workflow/research": listWorkflowStages("research"),
};

export const GUIDED_PIPELINES = Object.keys(GUIDED_STAGES) as GuidedPipeline[];

export const formatGuideAsset = (pipeline: GuidedPipeline, stage: string): string => `guides/${pipeline}/${stage}.md`;

export const formatGuideUri = (pipeline: GuidedPipeline, stage: string): string => `sdd://guides/${pipeline}/${stage}`;

export function listStageGuides() {
  return GUIDED_PIPELINES.flatMap((pipeline) =>
    GUIDED_STAGES[pipeline].map((stage) => ({
      uri: formatGuideUri(pipeline, stage),
      name: `${pipeline}/${stage}`,
      title: `Guide to ${stage} in a ${pipeline.replace("workflow/", "")}`,
      mimeType: "text/markdown",
    })),
  );
}
