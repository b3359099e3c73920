import { Fault } from "#kernel/model/fault.ts";
import { DOOR_TABLE, type DoorRow, loadCatalogueOperation, OPERATION_IDS, type OperationId } from "../catalogue.ts";
import type { AnyOperation } from "../engine.ts";

export interface ApiRoute {
  readonly id: OperationId;
  readonly summary: string;
  readonly operation: AnyOperation;
  readonly fields?: DoorRow["page"];
}

/** A read is open. Of all else, only what its row opens. */
export async function findApiRoute(name: string): Promise<ApiRoute | undefined> {
  const id = OPERATION_IDS.find((each) => each === name);
  if (id === undefined) return undefined;
  const operation = await loadCatalogueOperation(id);
  const { summary, page, runsChecks = false } = DOOR_TABLE[id];
  if (page) return { id, summary, operation, fields: page };
  return operation.effect === "read" && !runsChecks ? { id, summary, operation } : undefined;
}

export async function listApiRoutes(): Promise<readonly ApiRoute[]> {
  const routes = await Promise.all(OPERATION_IDS.map((id) => findApiRoute(id)));
  return routes.filter((route) => route !== undefined);
}

export function rejectClosedFields({ id, fields }: ApiRoute, input: Readonly<Record<string, unknown>>): void {
  if (!fields) return;
  for (const [name, value] of Object.entries(input)) {
    const open = fields[name];
    if (open === true || open?.some((each) => each === value)) continue;
    throw new Fault("ui.closed", {
      what: `The page may not call ${id} with ${name}.`,
      why: "The page reads, and gives only what a person can give.",
      fix: { operation: id, input: {} },
    });
  }
  for (const [name, values] of Object.entries(fields)) {
    if (values === true || name in input) continue;
    throw new Fault("ui.closed", {
      what: `The page may not call ${id} without ${name}.`,
      why: `Choose ${name}: ${values.join(", ")}.`,
      fix: { operation: id, input: { [name]: values[0] ?? "" } },
    });
  }
}
