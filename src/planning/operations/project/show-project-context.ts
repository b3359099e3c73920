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
type ProjectContextItem = Partial<Pick<ProjectContextOutput, "stages" | "documents" | "changes">>;

const RECENT_CHANGE_COUNT = 5;

export const projectContextOperation = defineOperation({
  id: "project.context",
  effect: "read",
  input: async () => (await import("./schema.ts")).ProjectQuery,
  output: async () => (await import("./schema.ts")).ProjectContext,
  async run(engine: PlanningEngine, { stage: name, detail_level = "summary", max_tokens = DEFAULT_ANSWER_TOKENS }) {
    // A document is named by its stage or by itself: `specify` or `requirements`.
    const wanted = PROJECT_DOCUMENT_STAGES.filter((stage) => stage === name || STAGE_DOCUMENTS[stage] === name);
    const { record, items } = await engine.store.read((tree) => {
      const found = findProjectRecord(tree);
      const listed = wanted.flatMap((stage) => createDocumentItem(tree, stage, true));
      return { record: found, items: wanted.length > 0 ? listed : listOverviewItems(tree, found, detail_level) };
    });
    const head = record && {
      name: sanitizeText(record.name, 60),
      mode: record.mode,
      status: record.status,
      current_stage: record.current_stage,
      ...(record.rounds.length > 0 ? { clarity: record.rounds.at(-1)?.score ?? 0 } : {}),
    };
    return fitAnswer(engine, max_tokens, {
      items,
      build: (shown, omitted): ProjectContextOutput => ({
        ...(head ? { project: head } : {}),
        stages: shown.flatMap(({ stages = [] }) => stages),
        documents: shown.flatMap(({ documents = [] }) => documents),
        changes: shown.flatMap(({ changes = [] }) => changes),
        omitted,
      }),
      page: formatProjectContextPage,
      shorten({ documents = [] }, length) {
        const [document] = documents;
        if (document?.text === undefined) return undefined;
        return { documents: [{ ...document, text: `${document.text.slice(0, length).toWellFormed()}…` }] };
      },
    });
  },
  page: (output) => formatProjectContextPage(output),
});

function listOverviewItems(tree: StoreTree, record: ProjectRecord | undefined, detail: string): ProjectContextItem[] {
  const stages = record ? createProjectView(record).stages : [];
  const recent = detail === "summary" ? [] : loadChangeRecords(tree).changes.slice(-RECENT_CHANGE_COUNT).toReversed();
  return [
    ...stages.map(({ name, status, stale_because }) => {
      const stale = stale_because === undefined ? {} : { stale_because: sanitizeText(stale_because, 200) };
      return { stages: [{ name, status, ...stale }] };
    }),
    ...PROJECT_DOCUMENT_STAGES.flatMap((stage) => createDocumentItem(tree, stage, detail === "full")),
    ...recent.map(({ record: { id, status, description } }) => ({
      changes: [{ id, status, description: sanitizeText(description, 200) }],
    })),
  ];
}

function createDocumentItem(tree: StoreTree, stage: ProjectDocumentStage, isWhole: boolean): ProjectContextItem[] {
  const text = readStageDocument(tree, stage);
  if (text === undefined) return [];
  const bytes = new TextEncoder().encode(text).length;
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return [{ documents: [{ stage, path: getProjectDocumentPath(stage), bytes, lines, ...(isWhole ? { text } : {}) }] }];
}

function formatProjectContextPage({ project, stages, documents, changes, omitted }: ProjectContextOutput): Page {
  const title = project
    ? `${sanitizeText(project.name)}: ${project.status === "active" ? `stage ${project.current_stage} is open` : project.status}.`
    : documents.length > 0
      ? "No project was started here, but there are documents."
      : "No project was started here.";
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
    facts: [
      ...(project ? [["mode", project.mode] as const] : []),
      ...(project?.clarity === undefined ? [] : [["clarity", String(project.clarity)] as const]),
    ],
    table: { columns: ["stage", "status", "document"], rows: isOne ? [] : rows },
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
