import type { Page, PageTable } from "#domain/page.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import type { Input, Output } from "./managing/answer.ts";
import { duePoints } from "./managing/due.ts";
import { numberText, spanText } from "./managing/span.ts";

/** Loaded on demand, one file per action. */
const ACTIONS: Readonly<Record<Output["action"], () => Promise<(engine: Engine, input: Input) => Promise<Output>>>> = {
  show: async () => (await import("./managing/show.ts")).show,
  create: async () => (await import("./managing/create.ts")).create,
  run: async () => (await import("./managing/run.ts")).run,
  stop: async () => (await import("./managing/run.ts")).stop,
  update: async () => (await import("./managing/update.ts")).update,
  revise: async () => (await import("./managing/revise.ts")).revise,
  unblock: async () => (await import("./managing/unblock.ts")).unblock,
  delete: async () => (await import("./managing/delete.ts")).remove,
};

export const manage = defineOperation<Input, Output>({
  id: "roadmap.manage",
  effect: "change",
  input: async () => (await import("./managing/schema.ts")).Manage,
  output: async () => (await import("./managing/schema.ts")).Managed,
  async run(engine, input) {
    const { action = "show" } = input;
    if (action !== "show") await foldJournalIntoLedger(engine);
    return (await ACTIONS[action]())(engine, input);
  },
  page,
  isRefusal: ({ passed }) => !passed,
});

function page(output: Output): Page {
  const { action, said, parallelism, in_progress, notes, omitted, next, due, more, reviews, idle } = output;
  const isShown = (action === "show" || action === "run" || action === "unblock") && output.forecast.length === 0;
  return {
    title: said,
    facts: runFacts(output),
    ...tableOf(output),
    points: [
      ...(omitted > 0 ? [`${omitted} more features are left out; sdd/roadmap.md has them all.`] : []),
      ...parallelism,
      ...in_progress.map((line) => `Under way: ${line}`),
      ...notes,
      ...(isShown ? duePoints({ due, more, reviews, idle }) : []),
    ],
    next: next.map(({ operation: id, input }) => ({ operation: id, ...(input ? { input } : {}) })),
  };
}

const ABOUT_RUN: ReadonlySet<Output["action"]> = new Set(["show", "run", "stop"]);

function runFacts({ run, action }: Output): NonNullable<Page["facts"]> {
  if (run.state === "never" || !ABOUT_RUN.has(action)) return [];
  const mode = run.is_gated ? "asks after each review and wave" : "by itself";
  return [
    ["run", run.state === "on" ? `on, ${mode}` : `stopped: ${run.why ?? ""}`],
    ["tokens", `${numberText(run.spent)} spent${run.cap === null ? "" : ` of ${numberText(run.cap)}`}`],
  ];
}

function tableOf({ features, forecast, differences, preview }: Output): { table?: PageTable } {
  if (differences.length > 0) {
    const rows = differences.map(({ id, impact, says, applied }) => [id, impact, applied ? "done" : "open", says]);
    return { table: { columns: ["difference", "impact", "state", "what"], rows } };
  }
  if (preview.length > 0) {
    const rows = preview.map(({ feature, reach, says }) => [feature, reach, says]);
    return { table: { columns: ["feature", "reach", "what"], rows } };
  }
  if (forecast.length > 0) {
    const rows = forecast.map(({ wave, features: n, runs, tokens }) => [
      String(wave),
      String(n),
      spanText(runs),
      spanText(tokens),
    ]);
    return { table: { columns: ["wave", "features", "agent runs", "tokens"], rows } };
  }
  const [first] = features;
  if (!first) return {};
  const steps = Object.keys(first.steps);
  const rows = features.map(({ name, wave, steps: standings }) => [
    wave === null ? "-" : String(wave),
    name,
    ...steps.map((step) => standings[step] ?? ""),
  ]);
  return { table: { columns: ["wave", "feature", ...steps], rows } };
}
