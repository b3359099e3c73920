import type * as z from "zod";
import { parseDuration } from "#domain/workflow/timebox.ts";
import { operation } from "../operation.ts";
import { begunPage, beginAndShow } from "./running/beginning.ts";
import type { Research, WorkflowBegun } from "./schema.ts";

const USUAL = "2h";

export const research = operation<z.infer<typeof Research>, z.infer<typeof WorkflowBegun>>({
  id: "workflow.research",
  effect: "append",
  input: async () => (await import("./schema.ts")).Research,
  output: async () => (await import("./schema.ts")).WorkflowBegun,
  async run(engine, { topic, timebox = USUAL, ...rest }) {
    const timebox_s = parseDuration(timebox);
    return beginAndShow(engine, { ...rest, kind: "research", title: topic, timebox_s, spec: { timebox } });
  },
  page: begunPage,
});
