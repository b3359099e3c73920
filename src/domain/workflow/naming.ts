import { Fault } from "../fault.ts";
import type { WorkflowKind } from "./flows.ts";
import { isWorkflowId, parseWorkflowId, type WorkflowId } from "./id.ts";

const FIXED_ID_PREFIXES: Readonly<Partial<Record<WorkflowKind, string>>> = { bugfix: "BUG", research: "RES" };
const MAX_ID_PREFIX = 12;

/** For a feature: the first word of the title with at least two letters. */
export function deriveIdPrefix(kind: WorkflowKind, title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  const word = words.map((each) => each.replace(/[^A-Z]/g, "")).find((each) => each.length >= 2);
  return FIXED_ID_PREFIXES[kind] ?? word?.slice(0, MAX_ID_PREFIX) ?? "FEAT";
}

/** The number after the last one ever assigned, because commits and tests may still contain an older id. */
export function computeNextWorkflowId(prefix: string, taken: Iterable<string>, lastGiven: number): WorkflowId {
  const numbers = [...taken].filter((id) => isWorkflowId(id) && id.startsWith(`${prefix}-`));
  const highest = Math.max(lastGiven, ...numbers.map((id) => Number(id.slice(prefix.length + 1))));
  return parseWorkflowId(`${prefix}-${String(highest + 1).padStart(3, "0")}`);
}

export const formatIdCounter = (prefix: string): string => `spec ${prefix}`;

export const parseWorkflowNumber = (id: WorkflowId): number => Number(id.slice(id.lastIndexOf("-") + 1));
export const parseWorkflowPrefix = (id: WorkflowId): string => id.slice(0, id.lastIndexOf("-"));

export function createIdInUseFault(id: WorkflowId, status: string, kind: WorkflowKind): Fault {
  const again = {
    operation: `workflow.${kind}`,
    input: kind === "research" ? { topic: "…" } : { title: "…" },
  };
  return new Fault("workflow.exists", {
    what: `${id} cannot begin.`,
    why: `There is a workflow of that id; it is ${status}.`,
    fix: status === "active" ? [{ operation: "workflow.switch", input: { id } }, again] : [again],
  });
}
