import { Fault } from "#kernel/model/fault.ts";
import type { KernelEngine } from "#kernel/operations/engine.ts";
import type { ApprovalAnswer } from "../../model/approval/approval-proof.ts";

/** For decisions that no client can show to the user first. Returns who typed the call. */
export async function requirePerson(
  { origin, clock }: Pick<KernelEngine, "origin" | "clock">,
  { what, command }: { readonly what: string; readonly command: string },
): Promise<Pick<ApprovalAnswer, "proof" | "by" | "at" | "client">> {
  const sign = await origin.findAgentSign();
  if (sign === undefined) return { proof: "typed", by: origin.user, at: clock.now(), client: origin.name };
  throw new Fault("approval.not-typed", {
    what,
    why: `Only a person may do it, and ${sign}.`,
    fix: `Type it in your own terminal: ${command}`,
  });
}
