import type { RoadmapEngine } from "#roadmap/operations/engine.ts";
import type { ForeignFolders, SetupFiles } from "./ports/external-files.ts";

export interface OnboardingEngine extends RoadmapEngine {
  readonly foreign: ForeignFolders;
  setupFiles(scope: "project" | "user"): Promise<SetupFiles>;
}
