import type { LandingStore } from "#git/operations/ports/landings.ts";
import type { RemoteStore } from "#git/operations/ports/remote.ts";
import type { AgentProcesses } from "#kernel/operations/ports/agent-processes.ts";
import type { RoadmapEngine } from "#roadmap/operations/engine.ts";

export interface RunningEngine extends RoadmapEngine {
  readonly agents: AgentProcesses;
  readonly landings: LandingStore;
  readonly remote: RemoteStore;
  /** The same engine in another checkout of the repository. */
  openFolder(folder: string): Promise<RunningEngine>;
}
