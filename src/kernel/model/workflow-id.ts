import { Fault } from "./fault.ts";
import { quote } from "./text-format.ts";

declare const workflowIdBrand: unique symbol;
/** Names a spec and the workflow that builds it: `AUTH-001`. Only `parseWorkflowId` creates one. */
export type WorkflowId = string & { readonly [workflowIdBrand]: "WorkflowId" };

const WORKFLOW_ID_PATTERN = /^[A-Z][A-Z0-9]*-[0-9]{3,6}$/;
const MAX_WORKFLOW_ID_LENGTH = 40;

export function parseWorkflowId(text: string): WorkflowId {
  if (isWorkflowId(text)) return text;
  throw new Fault("workflow.bad-id", {
    what: `${quote(text, MAX_WORKFLOW_ID_LENGTH)} is not the id of a spec.`,
    why: "An id has capital letters and digits, a hyphen and three to six digits: AUTH-001, BUG-042, RES-007.",
    fix: { operation: "spec.validate", input: { id: "AUTH-001" } },
  });
}

export const isWorkflowId = (text: string): text is WorkflowId =>
  text.length <= MAX_WORKFLOW_ID_LENGTH && WORKFLOW_ID_PATTERN.test(text);
