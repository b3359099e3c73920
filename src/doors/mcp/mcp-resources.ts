import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import {
  STAGE_DOCUMENTS,
  getProjectDocumentPath,
  getChangeArtifactPath,
  CHANGES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { CHANGE_STAGES, type ChangeStage, isChangeId } from "#kernel/model/stages/change-stages.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { readArtifactText } from "#planning/operations/change/artifact-files.ts";
import { loadChangeRecords, findStoredChange } from "#planning/operations/change/change-records.ts";
import { changeStatusOperation } from "#planning/operations/change/show-changes.ts";
import type { Engine } from "../engine.ts";
import { showWorkspaceStatusOperation } from "#onboarding/operations/workspace/show-workspace-status.ts";
import { formatGuideUri, GUIDED_PIPELINES, GUIDED_STAGES, listStageGuides } from "./stage-guides.ts";

const STATUS_URI = "sdd://status";
const CHANGE_URI = "sdd://changes/{id}";
const ARTIFACT_URI = "sdd://changes/{id}/{stage}";
const DOCUMENT_URI = "sdd://project/{document}";
const JSON_TYPE = "application/json";
const MARKDOWN_TYPE = "text/markdown";

const formatDocumentUri = (name: string): string => `sdd://project/${name}`;

export const RESOURCE_TEMPLATES = [
  { uriTemplate: CHANGE_URI, name: "change", title: "A change and its stages", mimeType: JSON_TYPE },
  { uriTemplate: ARTIFACT_URI, name: "artifact", title: "The artifact of a stage", mimeType: MARKDOWN_TYPE },
  { uriTemplate: DOCUMENT_URI, name: "document", title: "A document of the project", mimeType: MARKDOWN_TYPE },
  ...GUIDED_PIPELINES.map((pipeline) => ({
    uriTemplate: formatGuideUri(pipeline, "{stage}"),
    name: `${pipeline}-guide`,
    title: `The guide of a ${pipeline}'s stage`,
    mimeType: MARKDOWN_TYPE,
  })),
];

/** The status, the project's documents, open changes and guides. Without a workspace, only the guides. */
export async function listMcpResources(engine: Engine | undefined) {
  if (!engine) return listStageGuides();
  const { stages, changes } = await engine.store.read((tree) => ({
    stages: PROJECT_DOCUMENT_STAGES.filter((stage) => tree.has(getProjectDocumentPath(stage))),
    changes: loadChangeRecords(tree, [CHANGES_FOLDER]).changes,
  }));
  const documents = stages.map((stage) => ({
    uri: formatDocumentUri(STAGE_DOCUMENTS[stage]),
    name: STAGE_DOCUMENTS[stage],
    title: `The project's ${STAGE_DOCUMENTS[stage].replace("-", " ")}`,
    mimeType: MARKDOWN_TYPE,
  }));
  const open = changes.filter(({ record }) => record.status !== "archived");
  return [
    { uri: STATUS_URI, name: "status", title: "Work in progress", mimeType: JSON_TYPE },
    ...documents,
    ...open.map(({ record: { id, description } }) => ({
      uri: `sdd://changes/${id}`,
      name: id,
      title: sanitizeText(description, 120),
      mimeType: JSON_TYPE,
    })),
    ...listStageGuides(),
  ];
}

type ResourceReading = Promise<ReadResourceResult | undefined>;

export async function readGuideResource(uri: string, asset: (name: string) => Promise<string>): ResourceReading {
  const guide = listStageGuides().find((candidate) => candidate.uri === uri);
  return guide && createMarkdownResource(uri, await asset(`guides/${guide.name}.md`));
}

export async function readWorkspaceResource(uri: string, engine: Engine): ResourceReading {
  if (uri === STATUS_URI) return createJsonResource(uri, await showWorkspaceStatusOperation.run(engine, {}));
  const document = PROJECT_DOCUMENT_STAGES.find((stage) => uri === formatDocumentUri(STAGE_DOCUMENTS[stage]));
  const [, id = "", stage] = /^sdd:\/\/changes\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  if (isChangeId(id) && stage === undefined)
    return createJsonResource(uri, await changeStatusOperation.run(engine, { change_id: id }));
  const text = await engine.store.read((tree) => {
    if (document) return tree.text(getProjectDocumentPath(document));
    if (!isChangeId(id)) return undefined;
    const { shelf, record } = findStoredChange(tree, id);
    const isStage = record.stages.some((entry) => entry.name === stage);
    return isStage ? readArtifactText(tree, getChangeArtifactPath(shelf, id, stage as ChangeStage)) : undefined;
  });
  return text === undefined ? undefined : createMarkdownResource(uri, text);
}

const FIXED_VARIABLE_VALUES = new Map<string, readonly [variable: string, values: readonly string[]]>([
  [ARTIFACT_URI, ["stage", CHANGE_STAGES]],
  [DOCUMENT_URI, ["document", PROJECT_DOCUMENT_STAGES.map((stage) => STAGE_DOCUMENTS[stage])]],
  ...GUIDED_PIPELINES.map((pipeline) => {
    return [formatGuideUri(pipeline, "{stage}"), ["stage", GUIDED_STAGES[pipeline]]] as const;
  }),
]);

export async function completeTemplateVariable(
  uri: string,
  variable: string,
  value: string,
  engine: Engine | undefined,
): Promise<string[]> {
  const isIdAsked = variable === "id" && (uri === CHANGE_URI || uri === ARTIFACT_URI);
  const { changes } =
    engine && isIdAsked ? await engine.store.read((tree) => loadChangeRecords(tree)) : { changes: [] };
  const [name, fixed] = FIXED_VARIABLE_VALUES.get(uri) ?? ["", []];
  const values = name === variable ? fixed : changes.map(({ record }): string => record.id);
  return values.filter((candidate) => candidate.startsWith(value));
}

const createMarkdownResource = (uri: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType: MARKDOWN_TYPE, text }],
});

const createJsonResource = (uri: string, value: unknown): ReadResourceResult => ({
  contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 2) }],
});
