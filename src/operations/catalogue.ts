import type { AnyOperation } from "./operation.ts";

/** Every operation, loaded when it is asked for. Each has a tool and a command; `test/laws/surface.test.ts` proves it. */
const CATALOGUE = {
  "workspace.init": async () => (await import("./workspace/init.ts")).init,
  "workspace.status": async () => (await import("./workspace/status.ts")).statusOfWorkspace,
  "workspace.doctor": async () => (await import("./workspace/doctor.ts")).doctor,
  "workspace.validate": async () => (await import("./workspace/validate.ts")).validate,
  "explore.record": async () => (await import("./explore/record.ts")).explore,
  "project.init": async () => (await import("./project/init.ts")).initProject,
  "project.propose": async () => (await import("./project/propose.ts")).propose,
  "project.specify": async () => (await import("./project/specify.ts")).specify,
  "project.business-rules": async () => (await import("./project/business-rules.ts")).businessRules,
  "project.clarify": async () => (await import("./project/clarify.ts")).clarify,
  "project.design": async () => (await import("./project/design.ts")).design,
  "project.tasks": async () => (await import("./project/tasks.ts")).tasks,
  "project.validate": async () => (await import("./project/validate.ts")).validateProject,
  "project.context": async () => (await import("./project/context.ts")).projectContext,
  "project.confirm": async () => (await import("./project/confirm.ts")).confirm,
  "project.reopen": async () => (await import("./project/reopen.ts")).reopenProject,
  "change.start": async () => (await import("./change/start.ts")).startChange,
  "change.advance": async () => (await import("./change/advance.ts")).advance,
  "change.status": async () => (await import("./change/status.ts")).statusOfChange,
  "change.list": async () => (await import("./change/list.ts")).listChanges,
  "change.reopen": async () => (await import("./change/reopen.ts")).reopen,
  "change.abandon": async () => (await import("./change/abandon.ts")).abandon,
  "change.resize": async () => (await import("./change/resize.ts")).resize,
  "change.review": async () => (await import("./change/review.ts")).review,
  "change.archive": async () => (await import("./change/archive.ts")).archive,
  "context.check": async () => (await import("./context/check.ts")).check,
  "context.suggest": async () => (await import("./context/suggest.ts")).suggest,
  "context.audit": async () => (await import("./context/audit.ts")).audit,
  "adr.record": async () => (await import("./adr/record.ts")).recordAdr,
  "adr.status": async () => (await import("./adr/status.ts")).restate,
  "adr.list": async () => (await import("./adr/list.ts")).listAdrs,
  "memory.save": async () => (await import("./memory/save.ts")).save,
  "memory.search": async () => (await import("./memory/search.ts")).search,
  "memory.context": async () => (await import("./memory/context.ts")).context,
  "memory.get": async () => (await import("./memory/get.ts")).get,
  "memory.session": async () => (await import("./memory/session.ts")).session,
  "memory.timeline": async () => (await import("./memory/timeline.ts")).timeline,
  "memory.update": async () => (await import("./memory/update.ts")).update,
  "memory.delete": async () => (await import("./memory/delete.ts")).remove,
  "memory.relate": async () => (await import("./memory/relate.ts")).relate,
  "memory.history": async () => (await import("./memory/history.ts")).history,
  "memory.progress": async () => (await import("./memory/progress.ts")).progress,
  "memory.compact": async () => (await import("./memory/compact.ts")).compact,
  "memory.suggest-topic-key": async () => (await import("./memory/suggest-topic-key.ts")).suggest,
  "memory.stats": async () => (await import("./memory/stats.ts")).stats,
  "memory.export": async () => (await import("./memory/export.ts")).exportAll,
  "memory.import": async () => (await import("./memory/import.ts")).importAll,
  "memory.backup": async () => (await import("./memory/backup.ts")).backUp,
} as const;

export type OperationId = keyof typeof CATALOGUE;

export const OPERATION_IDS = Object.keys(CATALOGUE) as OperationId[];

export const loadOperation = (id: OperationId): Promise<AnyOperation> => CATALOGUE[id]();
