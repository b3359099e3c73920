import { checkDesign } from "#domain/feature/design.ts";
import { checkResearchDocument } from "#domain/feature/research.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import { checkTaskPlan, serializeTaskPlan } from "#domain/feature/tasks.ts";
import { Fault } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { LeadAction } from "#domain/roadmap/lead/action.ts";
import type { ReportFacts } from "#domain/roadmap/lead/event.ts";
import {
  getFeatureDesignPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import type { StoreTree } from "../../ports/store.ts";

type DocumentFactsEngine = Pick<Engine, "store" | "digest" | "yaml">;

export async function gatherDesignFacts(
  engine: Pick<Engine, "store" | "digest">,
  feature: FeatureName,
): Promise<NonNullable<ReportFacts["design"]>> {
  const [design, research] = [getFeatureDesignPath(feature), getFeatureResearchPath(feature)];
  const { text, notes } = await engine.store.read((tree) => ({ text: tree.text(design), notes: tree.text(research) }));
  const behind =
    notes === undefined
      ? [createMissingProblem(research)]
      : checkResearchDocument(notes).problems.map((each) => prefixProblemFile(research, each));
  if (text === undefined) return { hash: "", files: [], problems: [createMissingProblem(design), ...behind] };
  const { problems, files } = checkDesign(text);
  return { hash: engine.digest(text), files, problems: [...problems, ...behind] };
}

/** Problems without a file name belong to the design. */
const prefixProblemFile = (path: WorkspacePath, { problem, line }: Problem): Problem => ({
  problem: `${path}${line === undefined ? "" : `:${line}`}: ${problem}`,
});

const createMissingProblem = (path: WorkspacePath): Problem => ({ problem: `${path} is not there.` });

/** Checks `tasks.yaml` against its design. The Lead judges claims on files of other features. */
export async function gatherTasksFacts(
  engine: DocumentFactsEngine,
  feature: FeatureName,
): Promise<NonNullable<ReportFacts["tasks"]>> {
  const yaml = await engine.yaml();
  const path = getFeatureTasksPath(feature);
  const { text, design } = await engine.store.read((tree) => ({
    text: tree.text(path),
    design: tree.text(getFeatureDesignPath(feature)) ?? "",
  }));
  if (text === undefined) return { hash: "", groups: [], problems: [createMissingProblem(path)] };
  const { tree, problems: unread } = yaml.read(text);
  if (!tree || unread.length > 0) {
    const problems = unread.length > 0 ? unread : [{ problem: `${path} says nothing.` }];
    return { hash: "", groups: [], problems };
  }
  const { problems, groups } = checkTaskPlan(tree, checkDesign(design));
  return { hash: engine.digest(serializeTaskPlan(tree)), groups, problems };
}

export function assertDesignUnchanged(
  tree: StoreTree,
  engine: Pick<Engine, "digest">,
  action: LeadAction,
  { design }: ReportFacts,
): void {
  if (!design || action.kind !== "spawn" || action.work.of !== "design") return;
  const text = tree.text(getFeatureDesignPath(action.work.feature));
  if (design.hash === (text === undefined ? "" : engine.digest(text))) return;
  throw new Fault("store.conflict", {
    what: `Nothing was reported of ${action.id}.`,
    why: `${getFeatureDesignPath(action.work.feature)} changed while it was being looked at.`,
    fix: { operation: "roadmap.report" },
  });
}
