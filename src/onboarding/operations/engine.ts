import type { RunningEngine } from "#running/operations/engine.ts";
import type { ExportFolders, ForeignFolders, SetupFiles } from "./ports/external-files.ts";

export interface OnboardingEngine extends RunningEngine {
  readonly foreign: ForeignFolders;
  readonly exports: ExportFolders;
  setupFiles(scope: "project" | "user"): Promise<SetupFiles>;
}
