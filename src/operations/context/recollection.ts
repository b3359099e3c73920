import { matchesQuestion } from "#domain/context/relevance.ts";
import { Fault } from "#domain/fault.ts";
import type { Observation } from "#domain/memory/observation.ts";
import type { SearchQuestion } from "#domain/memory/question.ts";
import type { Engine } from "../engine.ts";
import { openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { recallObservations } from "../memory/recall.ts";

export interface MemoryRecallResult {
  readonly observations: readonly Observation[];
  readonly silent?: string;
}

export async function recallRelevantObservations(
  engine: Engine,
  question: SearchQuestion,
  { project, type, limit }: { project: string | undefined; type?: string; limit: number },
): Promise<MemoryRecallResult> {
  try {
    const memory = await openEnabledMemory(engine);
    const filter = { project: await resolveMemoryProject(engine, project), type };
    const { observations } = await recallObservations(memory, question, filter);
    // Recall also returns neighbours of a match. Here each observation has to match by itself.
    const own = observations.filter(({ title, content }) => matchesQuestion(question, `${title}\n${content}`));
    return { observations: own.slice(0, limit) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { observations: [], silent: error.why };
  }
}
