import type * as z from "zod";
import { count } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { type WrittenStage, WRITTEN_STAGES } from "#domain/project/flow.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { plain } from "#domain/quote.ts";
import { DOCUMENTS, projectDocument } from "#domain/workspace/path.ts";
import { everyChange } from "../change/census.ts";
import { CEILING, fit } from "../fit.ts";
import { stalePoints } from "../flow-page.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import type { ProjectContext, ProjectQuery } from "./schema.ts";
import { findProject } from "./record.ts";
import { documentText } from "./shelf.ts";
import { nextCalls, viewProject } from "./view.ts";

type Input = z.infer<typeof ProjectQuery>;
type Output = z.infer<typeof ProjectContext>;
type Document = Output["documents"][number];
type Item =
  | { readonly kind: "stages"; readonly item: Output["stages"][number] }
  | { readonly kind: "documents"; readonly item: Document }
  | { readonly kind: "changes"; readonly item: Output["changes"][number] };

const RECENT = 5;

export const projectContext = operation<Input, Output>({
  id: "project.context",
  effect: "read",
  input: async () => (await import("./schema.ts")).ProjectQuery,
  output: async () => (await import("./schema.ts")).ProjectContext,
  async run(engine, { stage, detail_level = "summary", max_tokens = CEILING }) {
    const { record, items } = await engine.store.read((tree) => {
      const found = findProject(tree);
      const wanted = stage === undefined ? undefined : stageNamed(stage);
      return {
        record: found,
        items: wanted ? [documentItem(tree, wanted, true)] : overview(tree, found, detail_level),
      };
    });
    return fit(engine, max_tokens, {
      items: items.filter((item) => item !== undefined),
      build: (shown, omitted): Output => ({
        ...(record ? { project: head(record) } : {}),
        stages: shown.flatMap((each) => (each.kind === "stages" ? [each.item] : [])),
        documents: shown.flatMap((each) => (each.kind === "documents" ? [each.item] : [])),
        changes: shown.flatMap((each) => (each.kind === "changes" ? [each.item] : [])),
        omitted,
      }),
      page,
      shorten,
    });
  },
  page: (output) => page(output),
});

/** Accepts the stage name and the document name: `specify` or `requirements`. */
function stageNamed(name: string): WrittenStage | undefined {
  return WRITTEN_STAGES.find((stage) => stage === name || DOCUMENTS[stage] === name);
}

function head({ name, mode, status, current_stage, rounds }: ProjectRecord): Output["project"] {
  const clarity = rounds.at(-1)?.score;
  return { name: plain(name, 60), mode, status, current_stage, ...(clarity === undefined ? {} : { clarity }) };
}

function overview(tree: Tree, record: ProjectRecord | undefined, detail: string): (Item | undefined)[] {
  const stages = record ? viewProject(record).stages : [];
  const { changes } = everyChange(tree);
  return [
    ...stages.map(({ name, status, stale_because }): Item => {
      const stale = stale_because === undefined ? {} : { stale_because: plain(stale_because, 200) };
      return { kind: "stages", item: { name, status, ...stale } };
    }),
    ...WRITTEN_STAGES.map((stage) => documentItem(tree, stage, detail === "full")),
    ...(detail === "summary" ? [] : changes.slice(-RECENT).toReversed()).map(({ record: change }): Item => {
      const { id, status, description } = change;
      return { kind: "changes", item: { id, status, description: plain(description, 200) } };
    }),
  ];
}

function documentItem(tree: Tree, stage: WrittenStage, isWhole: boolean): Item | undefined {
  const text = documentText(tree, stage);
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return {
    kind: "documents",
    item: { stage, path: projectDocument(stage), bytes, lines, ...(isWhole ? { text } : {}) },
  };
}

function shorten(each: Item, length: number): Item | undefined {
  if (each.kind !== "documents" || each.item.text === undefined) return undefined;
  return { ...each, item: { ...each.item, text: `${each.item.text.slice(0, length).toWellFormed()}…` } };
}

function page({ project, stages, documents, changes, omitted }: Output): Page {
  const title = project
    ? `${plain(project.name)}: ${project.status === "active" ? `stage ${project.current_stage} is open` : project.status}.`
    : documents.length > 0
      ? "No project was begun here, but there are documents."
      : "No project was begun here.";
  const rows = WRITTEN_STAGES.flatMap((stage) => {
    const status = stages.find(({ name }) => name === stage)?.status;
    const found = documents.find((document) => document.stage === stage);
    const shown = found ? `${found.path} (${count(found.lines, "line")})` : "–";
    return status === undefined && !found ? [] : [[stage, status ?? "–", shown]];
  });
  const isOne = stages.length === 0 && documents.some(({ text }) => text !== undefined);
  const left = omitted > 0 ? [`${count(omitted, "item")} left out: raise max_tokens, or name a stage.`] : [];
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
      ...stalePoints(stages),
      ...changes.map(({ id, status, description }) => `change ${id} (${status}): ${description}`),
      ...left,
    ],
    next: nextOf(project, stages),
  };
}

function nextOf(project: Output["project"], stages: Output["stages"]) {
  if (!project) return [{ operation: "project.init", input: { name: "…", description: "…" } }];
  return nextCalls({ ...project, description: "", stages, rev: 0 });
}
