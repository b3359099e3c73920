import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";

declare const brand: unique symbol;
/** Names a workflow and its spec: `AUTH-001`, `BUG-042`. Only `parseWorkflowId` makes one. */
export type WorkflowId = string & { readonly [brand]: "WorkflowId" };

const PATTERN = /^[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}$/;

export const isWorkflowId = (text: string): text is WorkflowId => PATTERN.test(text);

export function parseWorkflowId(text: string): WorkflowId {
  if (isWorkflowId(text)) return text;
  throw new Fault("workflow.bad-id", {
    what: `${quote(text, 64)} is not the id of a workflow.`,
    why: "An id has capital letters or digits, a hyphen and at least three digits, as AUTH-001.",
    fix: { operation: "workflow.status" },
  });
}
