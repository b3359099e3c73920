import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { inspectWorkspaceFiles } from "./inspect-workspace.ts";

export const validateWorkspaceOperation = defineOperation({
  id: "workspace.validate",
  effect: "read",
  output: async () => (await import("./schema.ts")).WorkspaceValidationOutput,
  async run(engine: OnboardingEngine) {
    const broken: { path: string; problem: string }[] = [];
    const config = await engine.settings.load().catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      broken.push({ path: CONFIG_PATH, problem: error.why });
      return DEFAULT_CONFIG;
    });
    const { items, problems } = await inspectWorkspaceFiles(engine, config);
    const all = [...broken, ...problems];
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
