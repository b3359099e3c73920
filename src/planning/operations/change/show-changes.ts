import type { PlanningEngine } from "../engine.ts";
import { ChangeSummary } from "../../model/change/change-record.ts";
import { CHANGE_STAGES } from "#kernel/model/stages/change-stages.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { getChangeArtifactPath, CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatRecordedAnswer } from "../../model/approval/approval-log.ts";
import { readRecordedAnswers } from "../approval/approval-log-files.ts";
import { readArtifactText } from "./artifact-files.ts";
import { chooseActiveChange, listActiveChanges, listCompletedChanges, loadChangeRecords } from "./change-records.ts";
import { formatChangePage, loadOpenChangeStage, createChangeView } from "./change-page.ts";

export const changeStatusOperation = defineOperation({
  id: "change.status",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeStatusQuery,
  output: async () => (await import("./schema.ts")).ChangeStatus,
  async run(engine: PlanningEngine, { change_id }) {
    const { record, artifacts, answers } = await engine.store.read((tree) => {
      // Without an active change, shows the one completed last.
      const isIdle = change_id === undefined && listActiveChanges(tree).length === 0;
      const completed = isIdle ? listCompletedChanges(tree) : [];
      const [last] = completed.toSorted((a, b) => (a.record.updated_at < b.record.updated_at ? 1 : -1));
      const found = last ?? chooseActiveChange(tree, change_id, "change.status");
      const stages = CHANGE_STAGES.filter((name) => found.record.stages.some((stage) => stage.name === name));
      const stored = stages.flatMap((stage) => {
        const path = getChangeArtifactPath(found.shelf, found.record.id, stage);
        const text = readArtifactText(tree, path);
        return text === undefined ? [] : [{ stage, path, bytes: new TextEncoder().encode(text).length }];
      });
      const all = readRecordedAnswers(tree, found.record.id).filter(({ area }) => area === "change");
      return { record: found.record, artifacts: stored, answers: all.map(formatRecordedAnswer) };
    });
    return {
      change: createChangeView(record),
      artifacts,
      answers,
      reopenings: [...(record.reopenings ?? [])],
      ...(record.sizings ? { sizings: [...record.sizings] } : {}),
      ...(record.abandoned ? { abandoned: record.abandoned } : {}),
      ...(record.deltas ? { deltas: record.deltas.map(({ op, id, was, text }) => ({ op, id, was, text })) } : {}),
      ...(record.status === "active" ? { next: await loadOpenChangeStage(engine, record) } : {}),
    };
  },
  page({ change, artifacts, answers, sizings = [], abandoned, next }) {
    const { id, status, current_stage } = change;
    const title = status === "active" ? `${id} is at stage ${current_stage}.` : `${id} is ${status}.`;
    const page = formatChangePage(title, change, next?.guide);
    const bytes = new Map(artifacts.map((artifact) => [artifact.stage, `${artifact.bytes} bytes`]));
    const rows = change.stages.map((stage) => [stage.name, stage.status, bytes.get(stage.name) ?? "–"]);
    const sized = sizings.map(
      ({ from, to, reason }) => `${from === to ? `Kept ${to}` : `From ${from} to ${to}`}: ${sanitizeText(reason, 200)}`,
    );
    const reason = abandoned ? [`Abandoned: ${sanitizeText(abandoned.reason, 200)}`] : [];
    return {
      ...page,
      facts: page.facts?.filter(([label]) => label !== "stages") ?? [],
      table: { columns: ["stage", "status", "artifact"], rows },
      points: [...(page.points ?? []), ...sized, ...reason, ...answers.map((answer) => `${answer}.`)],
    };
  },
});

export const listChangesOperation = defineOperation({
  id: "change.list",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeListQuery,
  output: async () => (await import("./schema.ts")).ChangeList,
  async run(engine: PlanningEngine, { status, limit = 50 }) {
    const shelves = status === "archived" ? [HISTORY_FOLDER] : [CHANGES_FOLDER, ...(status ? [] : [HISTORY_FOLDER])];
    const loaded = await engine.store.read((tree) => loadChangeRecords(tree, shelves));
    const wanted = loaded.changes.filter(({ record }) => status === undefined || record.status === status).toReversed();
    const changes = wanted.slice(0, limit).map(({ record }) => ChangeSummary.parse(record));
    return { changes, damaged: [...loaded.damaged], omitted: wanted.length - changes.length };
  },
  page({ changes, damaged, omitted }) {
    const rows = changes.map((change) => [
      change.id,
      `${change.size} ${change.type}`,
      change.status,
      change.status === "active" ? change.current_stage : "–",
      sanitizeText(change.description, 60),
    ]);
    const isEmpty = rows.length === 0;
    const start = { operation: "change.start", input: { description: "…" } };
    return {
      title: isEmpty ? "No changes." : `${formatCount(rows.length + omitted, "change")}.`,
      ...(isEmpty ? {} : { table: { columns: ["id", "kind", "status", "stage", "description"], rows } }),
      points: [
        ...damaged.map(({ path, why }) => `${path} cannot be read: ${why}`),
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
      ],
      next: damaged.length > 0 ? [{ operation: "workspace.doctor" }] : isEmpty ? [start] : [],
    };
  },
});
