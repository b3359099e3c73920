import type { AnyOperation } from "./operation.ts";

/** Every operation, loaded when it is asked for. Each has a tool and a command; `test/laws/surface.test.ts` proves it. */
const CATALOGUE = {
  "workspace.init": async () => (await import("./workspace/init.ts")).init,
  "workspace.status": async () => (await import("./workspace/status.ts")).statusOfWorkspace,
  "workspace.doctor": async () => (await import("./workspace/doctor.ts")).doctor,
  "workspace.validate": async () => (await import("./workspace/validate.ts")).validate,
  "change.start": async () => (await import("./change/start.ts")).startChange,
  "change.advance": async () => (await import("./change/advance.ts")).advance,
  "change.status": async () => (await import("./change/status.ts")).statusOfChange,
  "change.list": async () => (await import("./change/list.ts")).listChanges,
  "change.reopen": async () => (await import("./change/reopen.ts")).reopen,
  "change.abandon": async () => (await import("./change/abandon.ts")).abandon,
  "change.archive": async () => (await import("./change/archive.ts")).archive,
  "adr.record": async () => (await import("./adr/record.ts")).recordAdr,
  "adr.status": async () => (await import("./adr/status.ts")).restate,
  "adr.list": async () => (await import("./adr/list.ts")).listAdrs,
} as const;

export type OperationId = keyof typeof CATALOGUE;

export const OPERATION_IDS = Object.keys(CATALOGUE) as OperationId[];

export const loadOperation = (id: OperationId): Promise<AnyOperation> => CATALOGUE[id]();
