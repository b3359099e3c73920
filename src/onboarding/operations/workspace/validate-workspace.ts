import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { type Config, DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { inspectWorkspaceFiles } from "./inspect-workspace.ts";
import type { WorkspaceValidationOutput } from "./schema.ts";

type ValidateWorkspaceResult = z.infer<typeof WorkspaceValidationOutput>;
type WorkspaceProblem = ValidateWorkspaceResult["problems"][number];

export const validateWorkspaceOperation = defineOperation({
  id: "workspace.validate",
  effect: "read",
  output: async () => (await import("./schema.ts")).WorkspaceValidationOutput,
  async run(engine: OnboardingEngine) {
    const { config, problems: configProblems } = await loadValidatedSettings(engine);
    const { items, problems } = await inspectWorkspaceFiles(engine, config);
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

async function loadValidatedSettings(
  engine: OnboardingEngine,
): Promise<{ config: Config; problems: WorkspaceProblem[] }> {
  try {
    return { config: await engine.settings.load(), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { config: DEFAULT_CONFIG, problems: [{ path: CONFIG_PATH, problem: error.why }] };
  }
}
