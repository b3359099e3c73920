import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import {
  STAGE_DOCUMENTS,
  getProjectDocumentPath,
  getChangeArtifactPath,
  CHANGES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { CHANGE_STAGES, type ChangeStage, isChangeId } from "#kernel/model/stages/change-stages.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { loadChangeRecords, findStoredChange } from "#planning/operations/change/change-records.ts";
import { changeStatusOperation } from "#planning/operations/change/show-changes.ts";
import type { Engine } from "../engine.ts";
import { showWorkspaceStatusOperation } from "#onboarding/operations/workspace/show-workspace-status.ts";
import {
  findGuideAsset,
  GUIDED_STAGES,
  formatGuideTemplate,
  listStageGuides,
  GUIDED_PIPELINES,
} from "./stage-guides.ts";

export const PROJECT_DOCUMENT_NAMES: readonly string[] = PROJECT_DOCUMENT_STAGES.map((stage) => STAGE_DOCUMENTS[stage]);

export const PROJECT_DOCUMENT_TEMPLATE = "sdd://project/{document}";

const formatDocumentUri = (name: string): string => `sdd://project/${name}`;

export function listProjectDocuments(tree: StoreTree) {
  return PROJECT_DOCUMENT_STAGES.filter((stage) => tree.has(getProjectDocumentPath(stage))).map((stage) => ({
    uri: formatDocumentUri(STAGE_DOCUMENTS[stage]),
    name: STAGE_DOCUMENTS[stage],
    title: `The project's ${STAGE_DOCUMENTS[stage].replace("-", " ")}`,
    mimeType: "text/markdown",
  }));
}

export function readProjectDocument(uri: string, tree: StoreTree): string | undefined {
  const stage = PROJECT_DOCUMENT_STAGES.find((name) => uri === formatDocumentUri(STAGE_DOCUMENTS[name]));
  return stage && tree.text(getProjectDocumentPath(stage));
}

const STATUS_URI = "sdd://status";
const CHANGE_URI = "sdd://changes/{id}";
const ARTIFACT_URI = "sdd://changes/{id}/{stage}";
const JSON_TYPE = "application/json";
const MARKDOWN_TYPE = "text/markdown";

export const RESOURCE_TEMPLATES = [
  { uriTemplate: CHANGE_URI, name: "change", title: "A change and its stages", mimeType: JSON_TYPE },
  { uriTemplate: ARTIFACT_URI, name: "artifact", title: "The artifact of a stage", mimeType: MARKDOWN_TYPE },
  {
    uriTemplate: PROJECT_DOCUMENT_TEMPLATE,
    name: "document",
    title: "A document of the project",
    mimeType: MARKDOWN_TYPE,
  },
  ...GUIDED_PIPELINES.map((pipeline) => ({
    uriTemplate: formatGuideTemplate(pipeline),
    name: `${pipeline}-guide`,
    title: `The guide of a ${pipeline}'s stage`,
    mimeType: MARKDOWN_TYPE,
  })),
];

/**
 * Lists the status, the project's documents, every open change and the guides. Without a workspace, only the guides.
 */
export async function listMcpResources(engine: Engine | undefined) {
  return [...(engine ? await listWorkspaceResources(engine) : []), ...listStageGuides()];
}

async function listWorkspaceResources(engine: Engine) {
  const { documents, changes } = await engine.store.read((tree) => ({
    documents: listProjectDocuments(tree),
    changes: loadChangeRecords(tree, [CHANGES_FOLDER]).changes,
  }));
  return [
    { uri: STATUS_URI, name: "status", title: "What is under way", mimeType: JSON_TYPE },
    ...documents,
    ...changes
      .filter(({ record }) => record.status !== "archived")
      .map(({ record }) => ({
        uri: `sdd://changes/${record.id}`,
        name: record.id,
        title: sanitizeText(record.description, 120),
        mimeType: JSON_TYPE,
      })),
  ];
}

export async function readGuideResource(
  uri: string,
  asset: (name: string) => Promise<string>,
): Promise<ReadResourceResult | undefined> {
  const name = findGuideAsset(uri);
  return name === undefined ? undefined : createMarkdownResource(uri, await asset(name));
}

export async function readWorkspaceResource(uri: string, engine: Engine): Promise<ReadResourceResult | undefined> {
  if (uri === STATUS_URI) return createJsonResource(uri, await showWorkspaceStatusOperation.run(engine, {}));
  const document = await engine.store.read((tree) => readProjectDocument(uri, tree));
  if (document !== undefined) return createMarkdownResource(uri, document);
  const [, id = "", stage] = /^sdd:\/\/changes\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  if (!isChangeId(id)) return undefined;
  if (stage === undefined) return createJsonResource(uri, await changeStatusOperation.run(engine, { change_id: id }));
  const text = await engine.store.read((tree) => {
    const { shelf, record } = findStoredChange(tree, id);
    const isStage = record.stages.some((entry) => entry.name === stage);
    return isStage ? tree.text(getChangeArtifactPath(shelf, id, stage as ChangeStage)) : undefined;
  });
  return text === undefined ? undefined : createMarkdownResource(uri, text);
}

const FIXED_VARIABLE_VALUES: Readonly<Record<string, readonly [variable: string, values: readonly string[]]>> = {
  [ARTIFACT_URI]: ["stage", CHANGE_STAGES],
  [PROJECT_DOCUMENT_TEMPLATE]: ["document", PROJECT_DOCUMENT_NAMES],
  ...Object.fromEntries(
    GUIDED_PIPELINES.map((pipeline) => [formatGuideTemplate(pipeline), ["stage", GUIDED_STAGES[pipeline]]]),
  ),
};

export async function completeTemplateVariable(
  uri: string,
  variable: string,
  value: string,
  engine: Engine | undefined,
): Promise<string[]> {
  if (engine && variable === "id" && (uri === CHANGE_URI || uri === ARTIFACT_URI)) {
    const { changes } = await engine.store.read((tree) => loadChangeRecords(tree));
    return changes.map(({ record }) => record.id as string).filter((id) => id.startsWith(value));
  }
  const [name, values] = (Object.hasOwn(FIXED_VARIABLE_VALUES, uri) ? FIXED_VARIABLE_VALUES[uri] : undefined) ?? [
    "",
    [],
  ];
  return name === variable ? values.filter((candidate) => candidate.startsWith(value)) : [];
}

function createMarkdownResource(uri: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType: MARKDOWN_TYPE, text }] };
}

function createJsonResource(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 2) }] };
}
