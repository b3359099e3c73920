import { ResourceNotFoundError, type ReadResourceResult } from "@modelcontextprotocol/server";
import { CHANGE_STAGES, type ChangeStage } from "#domain/change/flows.ts";
import { isChangeId } from "#domain/change/id.ts";
import { plain } from "#domain/quote.ts";
import { changeArtifact, CHANGES } from "#domain/workspace/path.ts";
import { everyChange, findChange } from "#operations/change/shelf.ts";
import { statusOfChange } from "#operations/change/status.ts";
import type { Engine } from "#operations/engine.ts";
import { statusOfWorkspace } from "#operations/workspace/status.ts";

const STATUS = "sdd://status";
const CHANGE = "sdd://changes/{id}";
const ARTIFACT = "sdd://changes/{id}/{stage}";
const JSON_TYPE = "application/json";
const MARKDOWN_TYPE = "text/markdown";

export const RESOURCE_TEMPLATES = [
  { uriTemplate: CHANGE, name: "change", title: "A change and its stages", mimeType: JSON_TYPE },
  { uriTemplate: ARTIFACT, name: "artifact", title: "The artifact of a stage", mimeType: MARKDOWN_TYPE },
];

/** The status, and every change that is not archived; nothing where there is no workspace. */
export async function listResources(engine: Engine | undefined) {
  if (!engine) return [];
  const { changes } = await engine.store.read((tree) => everyChange(tree, [CHANGES]));
  return [
    { uri: STATUS, name: "status", title: "What is under way", mimeType: JSON_TYPE },
    ...changes
      .filter(({ record }) => record.status !== "archived")
      .map(({ record }) => ({
        uri: `sdd://changes/${record.id}`,
        name: record.id,
        title: plain(record.description, 120),
        mimeType: JSON_TYPE,
      })),
  ];
}

export async function readResource(uri: string, engine: Engine): Promise<ReadResourceResult> {
  if (uri === STATUS) return json(uri, await statusOfWorkspace.run(engine, {}));
  const [, id = "", stage] = /^sdd:\/\/changes\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  if (!isChangeId(id)) throw new ResourceNotFoundError(uri);
  if (stage === undefined) return json(uri, await statusOfChange.run(engine, { change_id: id }));
  const text = await engine.store.read((tree) => {
    const { shelf, record } = findChange(tree, id);
    const isStage = record.stages.some((entry) => entry.name === stage);
    return isStage ? tree.text(changeArtifact(shelf, id, stage as ChangeStage)) : undefined;
  });
  if (text === undefined) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: MARKDOWN_TYPE, text }] };
}

/** What may stand in a template's variable. */
export async function completeVariable(
  uri: string,
  variable: string,
  value: string,
  engine: Engine,
): Promise<string[]> {
  if (variable === "id" && (uri === CHANGE || uri === ARTIFACT)) {
    const { changes } = await engine.store.read((tree) => everyChange(tree));
    return changes.map(({ record }) => record.id as string).filter((id) => id.startsWith(value));
  }
  return variable === "stage" && uri === ARTIFACT ? CHANGE_STAGES.filter((stage) => stage.startsWith(value)) : [];
}

function json(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 2) }] };
}
