import type { RunningEngine } from "#running/operations/engine.ts";
import type { TeamAdministration } from "#store/operations/ports/team.ts";
import type { ExportFolders, ForeignFolders, SetupFiles } from "./ports/external-files.ts";

export interface OnboardingEngine extends RunningEngine {
  readonly foreign: ForeignFolders;
  readonly exports: ExportFolders;
  /** Faults if no address of a team's database is set. */
  team(): Promise<TeamAdministration>;
  setupFiles(scope: "project" | "user"): Promise<SetupFiles>;
}
