import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { CHANGE_STAGES, type ChangeStage } from "#domain/change/flows.ts";
import { isChangeId } from "#domain/change/id.ts";
import { sanitizeText } from "#domain/quote.ts";
import { getChangeArtifactPath, CHANGES_FOLDER } from "#domain/workspace/path.ts";
import { loadChangeRecords } from "#operations/change/census.ts";
import { findStoredChange } from "#operations/change/shelf.ts";
import { changeStatusOperation } from "#operations/change/status.ts";
import type { Engine } from "#operations/engine.ts";
import { showWorkspaceStatusOperation } from "#operations/workspace/status.ts";
import { DOCUMENT_NAMES, DOCUMENT_TEMPLATE, documentAt, listDocuments } from "./documents.ts";
import { guideAt, GUIDED_STAGES, guideTemplate, listGuides, PIPELINES } from "./guides.ts";

const STATUS = "sdd://status";
const CHANGE = "sdd://changes/{id}";
const ARTIFACT = "sdd://changes/{id}/{stage}";
const JSON_TYPE = "application/json";
const MARKDOWN_TYPE = "text/markdown";

export const RESOURCE_TEMPLATES = [
  { uriTemplate: CHANGE, name: "change", title: "A change and its stages", mimeType: JSON_TYPE },
  { uriTemplate: ARTIFACT, name: "artifact", title: "The artifact of a stage", mimeType: MARKDOWN_TYPE },
  { uriTemplate: DOCUMENT_TEMPLATE, name: "document", title: "A document of the project", mimeType: MARKDOWN_TYPE },
  ...PIPELINES.map((pipeline) => ({
    uriTemplate: guideTemplate(pipeline),
    name: `${pipeline}-guide`,
    title: `The guide of a ${pipeline}'s stage`,
    mimeType: MARKDOWN_TYPE,
  })),
];

/**
 * Lists the status, the project's documents, every open change and the guides. Without a workspace, only the guides.
 */
export async function listResources(engine: Engine | undefined) {
  return [...(engine ? await listWorkspace(engine) : []), ...listGuides()];
}

async function listWorkspace(engine: Engine) {
  const { documents, changes } = await engine.store.read((tree) => ({
    documents: listDocuments(tree),
    changes: loadChangeRecords(tree, [CHANGES_FOLDER]).changes,
  }));
  return [
    { uri: STATUS, name: "status", title: "What is under way", mimeType: JSON_TYPE },
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

export async function readGuide(
  uri: string,
  asset: (name: string) => Promise<string>,
): Promise<ReadResourceResult | undefined> {
  const name = guideAt(uri);
  return name === undefined ? undefined : markdown(uri, await asset(name));
}

export async function readResource(uri: string, engine: Engine): Promise<ReadResourceResult | undefined> {
  if (uri === STATUS) return json(uri, await showWorkspaceStatusOperation.run(engine, {}));
  const document = await engine.store.read((tree) => documentAt(uri, tree));
  if (document !== undefined) return markdown(uri, document);
  const [, id = "", stage] = /^sdd:\/\/changes\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  if (!isChangeId(id)) return undefined;
  if (stage === undefined) return json(uri, await changeStatusOperation.run(engine, { change_id: id }));
  const text = await engine.store.read((tree) => {
    const { shelf, record } = findStoredChange(tree, id);
    const isStage = record.stages.some((entry) => entry.name === stage);
    return isStage ? tree.text(getChangeArtifactPath(shelf, id, stage as ChangeStage)) : undefined;
  });
  return text === undefined ? undefined : markdown(uri, text);
}

const FIXED: Readonly<Record<string, readonly [variable: string, values: readonly string[]]>> = {
  [ARTIFACT]: ["stage", CHANGE_STAGES],
  [DOCUMENT_TEMPLATE]: ["document", DOCUMENT_NAMES],
  ...Object.fromEntries(PIPELINES.map((pipeline) => [guideTemplate(pipeline), ["stage", GUIDED_STAGES[pipeline]]])),
};

export async function completeVariable(
  uri: string,
  variable: string,
  value: string,
  engine: Engine | undefined,
): Promise<string[]> {
  if (engine && variable === "id" && (uri === CHANGE || uri === ARTIFACT)) {
    const { changes } = await engine.store.read((tree) => loadChangeRecords(tree));
    return changes.map(({ record }) => record.id as string).filter((id) => id.startsWith(value));
  }
  const [name, values] = (Object.hasOwn(FIXED, uri) ? FIXED[uri] : undefined) ?? ["", []];
  return name === variable ? values.filter((candidate) => candidate.startsWith(value)) : [];
}

function markdown(uri: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType: MARKDOWN_TYPE, text }] };
}

function json(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 2) }] };
}
