import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { type ProjectDocumentStage, PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import { STAGE_DOCUMENTS, getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { formatStalePoints } from "#kernel/operations/stage-lines.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { ProjectContext } from "./schema.ts";
import { findProjectRecord } from "./project-record-file.ts";
import { readStageDocument } from "./project-document-files.ts";
import { listNextProjectCalls, createProjectView } from "./project-stage.ts";

type ProjectContextOutput = z.infer<typeof ProjectContext>;
type ProjectContextDocument = ProjectContextOutput["documents"][number];
type ProjectContextItem =
  | { readonly kind: "stages"; readonly item: ProjectContextOutput["stages"][number] }
  | { readonly kind: "documents"; readonly item: ProjectContextDocument }
  | { readonly kind: "changes"; readonly item: ProjectContextOutput["changes"][number] };

const RECENT_CHANGE_COUNT = 5;

export const projectContextOperation = defineOperation({
  id: "project.context",
  effect: "read",
  input: async () => (await import("./schema.ts")).ProjectQuery,
  output: async () => (await import("./schema.ts")).ProjectContext,
  async run(engine: PlanningEngine, { stage, detail_level = "summary", max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const { record, items } = await engine.store.read((tree) => {
      const found = findProjectRecord(tree);
      const wanted = stage === undefined ? undefined : findStageByName(stage);
      return {
        record: found,
        items: wanted ? [createDocumentItem(tree, wanted, true)] : listOverviewItems(tree, found, detail_level),
      };
    });
    return fitAnswer(engine, max_tokens, {
      items: items.filter((item) => item !== undefined),
      build: (shown, omitted): ProjectContextOutput => ({
        ...(record ? { project: summarizeProjectHead(record) } : {}),
        stages: shown.flatMap((each) => (each.kind === "stages" ? [each.item] : [])),
        documents: shown.flatMap((each) => (each.kind === "documents" ? [each.item] : [])),
        changes: shown.flatMap((each) => (each.kind === "changes" ? [each.item] : [])),
        omitted,
      }),
      page: formatProjectContextPage,
      shorten: shortenDocumentItem,
    });
  },
  page: (output) => formatProjectContextPage(output),
});

/** Accepts the stage name and the document name: `specify` or `requirements`. */
function findStageByName(name: string): ProjectDocumentStage | undefined {
  return PROJECT_DOCUMENT_STAGES.find((stage) => stage === name || STAGE_DOCUMENTS[stage] === name);
}

function summarizeProjectHead({
  name,
  mode,
  status,
  current_stage,
  rounds,
}: ProjectRecord): ProjectContextOutput["project"] {
  const clarity = rounds.at(-1)?.score;
  return { name: sanitizeText(name, 60), mode, status, current_stage, ...(clarity === undefined ? {} : { clarity }) };
}

function listOverviewItems(
  tree: StoreTree,
  record: ProjectRecord | undefined,
  detail: string,
): (ProjectContextItem | undefined)[] {
  const stages = record ? createProjectView(record).stages : [];
  const { changes } = loadChangeRecords(tree);
  return [
    ...stages.map(({ name, status, stale_because }): ProjectContextItem => {
      const stale = stale_because === undefined ? {} : { stale_because: sanitizeText(stale_because, 200) };
      return { kind: "stages", item: { name, status, ...stale } };
    }),
    ...PROJECT_DOCUMENT_STAGES.map((stage) => createDocumentItem(tree, stage, detail === "full")),
    ...(detail === "summary" ? [] : changes.slice(-RECENT_CHANGE_COUNT).toReversed()).map(
      ({ record: change }): ProjectContextItem => {
        const { id, status, description } = change;
        return { kind: "changes", item: { id, status, description: sanitizeText(description, 200) } };
      },
    ),
  ];
}

function createDocumentItem(
  tree: StoreTree,
  stage: ProjectDocumentStage,
  isWhole: boolean,
): ProjectContextItem | undefined {
  const text = readStageDocument(tree, stage);
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return {
    kind: "documents",
    item: { stage, path: getProjectDocumentPath(stage), bytes, lines, ...(isWhole ? { text } : {}) },
  };
}

function shortenDocumentItem(each: ProjectContextItem, length: number): ProjectContextItem | undefined {
  if (each.kind !== "documents" || each.item.text === undefined) return undefined;
  return { ...each, item: { ...each.item, text: `${each.item.text.slice(0, length).toWellFormed()}…` } };
}

function formatProjectContextPage({ project, stages, documents, changes, omitted }: ProjectContextOutput): Page {
  const title = project
    ? `${sanitizeText(project.name)}: ${project.status === "active" ? `stage ${project.current_stage} is open` : project.status}.`
    : documents.length > 0
      ? "No project was begun here, but there are documents."
      : "No project was begun here.";
  const rows = PROJECT_DOCUMENT_STAGES.flatMap((stage) => {
    const status = stages.find(({ name }) => name === stage)?.status;
    const found = documents.find((document) => document.stage === stage);
    const shown = found ? `${found.path} (${formatCount(found.lines, "line")})` : "–";
    return status === undefined && !found ? [] : [[stage, status ?? "–", shown]];
  });
  const isOne = stages.length === 0 && documents.some(({ text }) => text !== undefined);
  const left = omitted > 0 ? [`${formatCount(omitted, "item")} left out: raise max_tokens, or name a stage.`] : [];
  return {
    title,
    ...(project
      ? {
          facts: [
            ["mode", project.mode],
            ...(project.clarity === undefined ? [] : [["clarity", String(project.clarity)] as const]),
          ],
        }
      : {}),
    ...(rows.length > 0 && !isOne ? { table: { columns: ["stage", "status", "document"], rows } } : {}),
    quotes: documents.flatMap(({ path, text }) => (text === undefined ? [] : [{ label: path, text }])),
    points: [
      ...formatStalePoints(stages),
      ...changes.map(({ id, status, description }) => `change ${id} (${status}): ${description}`),
      ...left,
    ],
    next: project
      ? listNextProjectCalls({ ...project, stages })
      : [{ operation: "project.init", input: { name: "…", description: "…" } }],
  };
}
