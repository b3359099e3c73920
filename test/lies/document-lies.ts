import { CONTEXT as CLEAR, createSpec, EVIDENCE } from "../change/stand.ts";
import type { MemoryWorkspace } from "../kit/memory-engine.ts";
import { TIDES } from "../kit/project.ts";
import type { Stand } from "../project/stand.ts";
import type { Lie } from "./lie-table.ts";

const advance = (at: MemoryWorkspace, content: string) => at.run("change.advance", { content });

/** In a workspace with FR-001, and with a small change that has just begun. */
export const ARTIFACT_LIES: readonly Lie<MemoryWorkspace>[] = [
  {
    lie: "The context check is described, and was not made",
    message: "This change has no context check yet.",
    async tell(at) {
      await advance(at, "The sum is wrong.");
      return advance(at, CLEAR);
    },
  },
  {
    lie: "A critical fact of the context check gets no answer",
    message: "CF-1 is not answered",
    async tell(at) {
      await goToConflict(at);
      return at.run("change.advance", { change_id: "add-right", content: CLEAR });
    },
  },
  {
    lie: "A critical fact is answered with filler",
    message: "CF-1 is not answered",
    async tell(at) {
      await goToConflict(at);
      const content = CLEAR.replace("None.", "- CF-1: everything is perfectly fine");
      return at.run("change.advance", { change_id: "add-right", content });
    },
  },
  {
    lie: "A change contradicts an accepted decision and does not answer it",
    message: "seems to contradict it",
    async tell(at) {
      await at.run("adr.record", {
        title: "Sums use decimals",
        context: "Money is counted.",
        decision: "Keep decimals for sums.",
        rationale: "No rounding.",
        standalone: true,
      });
      await advance(at, "Replace decimals in sums with floats.");
      await at.run("context.check", {});
      return advance(at, CLEAR);
    },
  },
  {
    lie: "A later stage is handed in first",
    message: "change.other-stage",
    tell: (at) => at.run("change.advance", { content: EVIDENCE, stage: "verify" }),
  },
  {
    lie: "An artifact is blank",
    message: "must not be blank",
    tell: (at) => advance(at, "  \n"),
  },
  {
    lie: "The tasks have no ids",
    message: "No task has an id",
    async tell(at) {
      await goToTasks(at);
      return advance(at, "Do everything.\n");
    },
  },
  {
    lie: "The tasks wait for each other",
    message: "TASK-001 → TASK-002 → TASK-001",
    async tell(at) {
      await goToTasks(at);
      return advance(at, "- TASK-001: One\n  Depends on TASK-002\n- TASK-002: Two\n  Depends on TASK-001\n");
    },
  },
  {
    lie: "The tasks cite a requirement that does not exist",
    message: "FR-099 refers to nothing",
    async tell(at) {
      await goToTasks(at);
      return advance(at, "- TASK-001: Build FR-099\n");
    },
  },
  {
    lie: "The tasks leave out a requirement of the spec",
    message: "FR-003 is in the spec, and no task names it.",
    async tell(at) {
      const change_id = "halve";
      await at.run("change.start", { type: "fix", size: "medium", description: "Halve", concurrent: true });
      await at.run("change.advance", { change_id, content: "Nothing halves." });
      await at.run("context.check", { change_id });
      await at.run("change.advance", { change_id, content: CLEAR });
      const content = createSpec("### ADDED\n\n- FR-002: The sum shall double.\n- FR-003: The sum shall halve.");
      await at.run("change.advance", { change_id, content });
      return at.run("change.advance", { change_id, content: "- TASK-001: Double (FR-002)\n- TASK-002: Release\n" });
    },
  },
  {
    lie: "The template of the guide is handed in unfilled",
    message: "A line of the guide is not filled in yet.",
    async tell(at) {
      await goToTasks(at);
      return advance(at, "- TASK-001: <what to do>, in <file> (<requirement id, if any>)\n");
    },
  },
  {
    lie: "The tasks modify a requirement that does not exist",
    message: "FR-099 cannot be modified",
    async tell(at) {
      await goToTasks(at);
      return advance(at, "- TASK-001: Build it\n\n### MODIFIED\n\n- FR-099: The sum shall fly.\n");
    },
  },
  {
    lie: "A requirement is changed in the description, where nothing would apply it",
    message: "only tasks.md changes requirements",
    tell: (at) => advance(at, "The sum is wrong.\n\n### MODIFIED\n\n- FR-001: The sum shall do nothing.\n"),
  },
];

async function goToTasks(at: MemoryWorkspace): Promise<void> {
  await advance(at, "The sum is wrong.");
  await at.run("context.check", {});
  await advance(at, CLEAR);
}

/** Another open change names the same requirement. */
async function goToConflict(at: MemoryWorkspace): Promise<void> {
  await at.run("change.start", { type: "fix", size: "small", description: "Round FR-001", concurrent: true });
  await at.run("change.advance", { change_id: "add-right", content: "FR-001 is not kept." });
  await at.run("context.check", { change_id: "add-right" });
}

const scoreAll = (evidence: string) =>
  TIDES.clarify.dimension_scores.map(({ dimension }) => ({ dimension, score: 95, evidence }));

/** In a project at the stage that the lie is about. */
export const PROJECT_LIES: readonly Lie<Stand>[] = [
  {
    lie: "Every dimension of the Clarity Gate is called perfectly clear",
    message: "only claims that it is clear",
    async tell(at) {
      await at.upTo("clarify");
      const answers = "Everything is perfectly clear to the whole team.";
      return at.run("project.clarify", { answers, dimension_scores: scoreAll(answers) });
    },
  },
  {
    lie: "One answer is evidence for every dimension",
    message: "One passage counts for 2 dimensions at most",
    async tell(at) {
      await at.upTo("clarify");
      const answers = Array.from({ length: 8 }, () => "Pilots read the depth at a gate.").join("\n");
      return at.run("project.clarify", { answers, dimension_scores: scoreAll("Pilots read the depth at a gate.") });
    },
  },
  {
    lie: "The evidence is in no document",
    message: "is not in a document or an answer",
    async tell(at) {
      await at.upTo("clarify");
      return at.run("project.clarify", { dimension_scores: scoreAll("Pirates read the depth at midnight.") });
    },
  },
  {
    lie: "A score has no evidence",
    message: "has no evidence, so it counts 0",
    async tell(at) {
      await at.upTo("clarify");
      return at.run("project.clarify", {
        dimension_scores: scoreAll("").map(({ dimension, score }) => ({ dimension, score })),
      });
    },
  },
  {
    lie: "Dimensions are waived with “n/a”",
    message: "its waiver is too short",
    async tell(at) {
      await at.upTo("clarify");
      const waived = scoreAll("").map(({ dimension }) => ({ dimension, score: 0, waiver: "n/a n/a" }));
      return at.run("project.clarify", { dimension_scores: waived });
    },
  },
  {
    lie: "The project is validated before it is designed",
    message: "is not open",
    async tell(at) {
      await at.upTo("clarify");
      return at.run("project.validate", { verdict: "PASS", consistency_issues: "none" });
    },
  },
];
