import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Config } from "#domain/workspace/config.ts";
import { DEFAULT_CONFIG } from "#domain/workspace/config.ts";
import { CONFIG } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { inspectWorkspace } from "./inspect.ts";
import type { WorkspaceValidation } from "./schema.ts";

type Output = z.infer<typeof WorkspaceValidation>;
type Problem = Output["problems"][number];

export const validate = operation<Record<string, never>, Output>({
  id: "workspace.validate",
  effect: "read",
  output: async () => (await import("./schema.ts")).WorkspaceValidation,
  async run(engine) {
    const { config, problems: configProblems } = await readSettings(engine);
    const { items, problems } = await inspectWorkspace(engine, config);
    const all = [...configProblems, ...problems];
    return { passed: all.length === 0, items, problems: all };
  },
  page: ({ passed, items, problems }) => ({
    title: passed
      ? `Valid: ${formatCount(items, "item")}.`
      : `${formatCount(problems.length, "problem")} in ${formatCount(items, "item")}.`,
    points: problems.map(({ path, line, problem }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
    next: problems.some(({ path }) => /\/(?:change\.json|spec\.yaml)$/.test(path))
      ? [{ operation: "workspace.doctor" }]
      : [],
  }),
  isRefusal: (output) => !output.passed,
});

async function readSettings(engine: Engine): Promise<{ config: Config; problems: Problem[] }> {
  try {
    return { config: await engine.settings.load(), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { config: DEFAULT_CONFIG, problems: [{ path: CONFIG, problem: error.why }] };
  }
}
