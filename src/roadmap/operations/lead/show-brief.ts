import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { quote } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { composeActionBrief } from "../agent/role-brief.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { ShowBriefInputSchema, ShowBriefOutputSchema } from "../management/schema.ts";
import { readLead } from "./lead-store.ts";

type ShowBriefOutput = z.infer<typeof ShowBriefOutputSchema>;

/** The brief of an assigned action. The agent that does the work asks for it, so that the Lead never copies it. */
export const showBrief = defineOperation<z.infer<typeof ShowBriefInputSchema>, ShowBriefOutput, RoadmapEngine>({
  id: "roadmap.brief",
  effect: "read",
  input: async () => (await import("../management/schema.ts")).ShowBriefInputSchema,
  output: async () => (await import("../management/schema.ts")).ShowBriefOutputSchema,
  async run(engine: RoadmapEngine, { action: id }) {
    const lead = await readLead(engine);
    const action = lead.out.get(id)?.action;
    if (action?.kind === "spawn") {
      const { text, tokens } = await composeActionBrief(engine, lead, action);
      return { action: id, role: action.role, tokens, brief: text };
    }
    throw new Fault("roadmap.not-out", {
      what: `No brief for ${quote(id, 100)}.`,
      why: action ? "It is not work for an agent." : "It is not assigned, or it is over.",
      fix: { operation: "roadmap.next", input: { peek: true } },
    });
  },
  page: ({ action, brief }): Page => ({
    title: `Brief of ${action}.`,
    guide: brief.trim(),
    next: [{ operation: "roadmap.report", input: { action, report: "…" } }],
  }),
});
