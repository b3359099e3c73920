import type * as z from "zod";
import { checkArtifact } from "#domain/change/artifact.ts";
import { advanceChange } from "#domain/change/change.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { mostPressing, type Verdict } from "#domain/gate/verdict.ts";
import type { Config } from "#domain/workspace/config.ts";
import { changeArtifact, changeRecord, CHANGES, supersededArtifact, supersededFolder } from "#domain/workspace/path.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Plan, Step, Tree } from "../store.ts";
import { surroundings } from "./artifact.ts";
import type { ChangeAdvance, ChangeAdvanced } from "./schema.ts";
import { chooseChange, occurrences } from "./shelf.ts";
import { changePage, nextCalls, nextStage, viewChange } from "./view.ts";

type Input = z.infer<typeof ChangeAdvance>;

interface Outcome extends Verdict {
  readonly record: ChangeRecord;
  readonly artifact?: string;
}

export const advance = operation<Input, z.infer<typeof ChangeAdvanced>>({
  id: "change.advance",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAdvance,
  output: async () => (await import("./schema.ts")).ChangeAdvanced,
  async run(engine, input) {
    const config = await engine.settings.load();
    const outcome = await commit(engine, (tree) => decide(tree, input, config, engine.clock.now()));
    const { passed, problems, record, artifact } = outcome;
    return {
      passed,
      problems: mostPressing(problems),
      change: viewChange(record),
      ...(artifact ? { artifact } : {}),
      ...(passed && record.status === "active" ? { next: await nextStage(engine, record) } : {}),
    };
  },
  page({ passed, problems, change, artifact, next }) {
    if (!passed) {
      const points = problems.map(({ problem, line }) => (line ? `line ${line}: ${problem}` : problem));
      const title = `Stage ${change.current_stage} of ${change.id} stays open: ${count(points.length, "problem")}.`;
      return { title, points, next: nextCalls(change) };
    }
    const title = next
      ? `${artifact} is kept; stage ${next.stage} of ${change.id} is open.`
      : `${artifact} is kept; change ${change.id} is completed.`;
    return { ...changePage(title, change), ...(next ? { guide: next.guide } : {}), next: nextCalls(change) };
  },
  isRefusal: (output) => !output.passed,
});

function decide(tree: Tree, input: Input, config: Config, at: string): Plan<Outcome> {
  const change = chooseChange(tree, input.change_id);
  const { record } = change;
  const [advanced, effects] = advanceChange(record, at);
  const stage = record.current_stage as ChangeStage;
  const artifact = changeArtifact(CHANGES, record.id, stage);
  const before = tree.text(artifact);
  const text = artifactText(input, record, before);
  const checked = checkArtifact(stage, text, surroundings(tree, change, stage, config));
  if (!checked.passed) return { steps: [], occurrences: [], result: { ...checked, record } };
  const happened = occurrences(advanced, effects).map((occurrence) =>
    occurrence.kind === "change.stage-completed"
      ? { ...occurrence, data: { ...occurrence.data, artifact, ...(input.title ? { title: input.title } : {}) } }
      : occurrence,
  );
  return {
    steps: [
      ...keepEarlier(tree, record, stage, before, text),
      ...(text === before ? [] : [{ kind: "document", path: artifact, text } as const]),
      { kind: "record", path: changeRecord(CHANGES, record.id), record: advanced },
    ],
    occurrences: happened,
    result: { ...checked, record: advanced, artifact },
  };
}

function artifactText(input: Input, record: ChangeRecord, before: string | undefined): string {
  if (input.keep) {
    const isStale = record.stages.some((stage) => stage.name === record.current_stage && stage.stale_because);
    if (input.content === undefined && isStale && before !== undefined) return before;
    throw new Fault("change.nothing-to-keep", {
      what: `Stage ${record.current_stage} of ${record.id} has nothing to keep.`,
      why: input.content === undefined ? "Only a stale artifact can be confirmed." : "Give content or keep, not both.",
      fix: { operation: "change.advance", input: { change_id: record.id, content: "…" } },
    });
  }
  if (input.content === undefined) {
    throw new Fault("input.missing", {
      what: `Stage ${record.current_stage} of ${record.id} cannot end.`,
      why: "The content of its artifact is missing.",
      fix: { operation: "change.advance", input: { change_id: record.id, content: "…" } },
    });
  }
  const body = input.content.replace(/\r\n?/g, "\n").trim();
  const heading = input.title && !body.startsWith("# ") ? `# ${input.title.trim().replace(/\s+/g, " ")}\n\n` : "";
  return `${heading}${body}\n`;
}

/** A text that is written again moves aside; nothing that was once accepted, or edited by hand, is lost. */
function keepEarlier(
  tree: Tree,
  record: ChangeRecord,
  stage: ChangeStage,
  before: string | undefined,
  text: string,
): Step[] {
  if (before === undefined || before === text) return [];
  const kept = tree.names(supersededFolder(record.id)).filter((name) => name.startsWith(`${stage}-`)).length;
  return [{ kind: "document", path: supersededArtifact(record.id, stage, kept + 1), text: before }];
}
