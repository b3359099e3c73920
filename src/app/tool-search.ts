import type { Engine } from "#doors/engine.ts";
import type { ProcessContext } from "./application-host.ts";

export const openScratchFolder = async () =>
  (await import("#checking/adapters/runner/scratch-folder.ts")).createScratchFolder();

/** Finds the programs that checks start. Loads nothing before the first question. */
export const createToolSearch = (
  engine: () => Engine,
  { environment }: ProcessContext,
): Pick<Engine, "isInstalled" | "missingTools" | "scratch"> => ({
  scratch: openScratchFolder,
  isInstalled: async (program, folder) =>
    (await import("#checking/adapters/runner/program-environment.ts")).isProgramInstalled(
      program,
      folder,
      engine().root,
      environment,
    ),
  missingTools: async (required) =>
    (await import("#checking/operations/stack/gate-readiness.ts")).describeMissingTools(engine(), required),
});
