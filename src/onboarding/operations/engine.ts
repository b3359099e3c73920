import type { RoadmapEngine } from "#roadmap/operations/engine.ts";
import type { ExportFolders, ForeignFolders, SetupFiles } from "./ports/external-files.ts";

export interface OnboardingEngine extends RoadmapEngine {
  readonly foreign: ForeignFolders;
  readonly exports: ExportFolders;
  setupFiles(scope: "project" | "user"): Promise<SetupFiles>;
}
