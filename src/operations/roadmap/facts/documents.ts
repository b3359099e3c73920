import { checkDesign } from "#domain/feature/design.ts";
import { checkResearch } from "#domain/feature/research.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import { checkTasks, planText } from "#domain/feature/tasks.ts";
import { Fault } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import type { Facts } from "#domain/roadmap/lead/event.ts";
import {
  getFeatureDesignPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import type { StoreTree } from "../../ports/store.ts";

type Reading = Pick<Engine, "store" | "digest" | "yaml">;

export async function designFacts(
  engine: Pick<Engine, "store" | "digest">,
  feature: FeatureName,
): Promise<NonNullable<Facts["design"]>> {
  const [design, research] = [getFeatureDesignPath(feature), getFeatureResearchPath(feature)];
  const { text, notes } = await engine.store.read((tree) => ({ text: tree.text(design), notes: tree.text(research) }));
  const behind =
    notes === undefined ? [missing(research)] : checkResearch(notes).problems.map((each) => inFile(research, each));
  if (text === undefined) return { hash: "", files: [], problems: [missing(design), ...behind] };
  const { problems, files } = checkDesign(text);
  return { hash: engine.digest(text), files, problems: [...problems, ...behind] };
}

/** Problems without a file name belong to the design. */
const inFile = (path: WorkspacePath, { problem, line }: Problem): Problem => ({
  problem: `${path}${line === undefined ? "" : `:${line}`}: ${problem}`,
});

const missing = (path: WorkspacePath): Problem => ({ problem: `${path} is not there.` });

/** Checks `tasks.yaml` against its design. The Lead judges claims on files of other features. */
export async function tasksFacts(engine: Reading, feature: FeatureName): Promise<NonNullable<Facts["tasks"]>> {
  const yaml = await engine.yaml();
  const path = getFeatureTasksPath(feature);
  const { text, design } = await engine.store.read((tree) => ({
    text: tree.text(path),
    design: tree.text(getFeatureDesignPath(feature)) ?? "",
  }));
  if (text === undefined) return { hash: "", groups: [], problems: [missing(path)] };
  const { tree, problems: unread } = yaml.read(text);
  if (!tree || unread.length > 0) {
    const problems = unread.length > 0 ? unread : [{ problem: `${path} says nothing.` }];
    return { hash: "", groups: [], problems };
  }
  const { problems, groups } = checkTasks(tree, checkDesign(design));
  return { hash: engine.digest(planText(tree)), groups, problems };
}

export function refuseMoved(tree: StoreTree, engine: Pick<Engine, "digest">, action: Action, { design }: Facts): void {
  if (!design || action.kind !== "spawn" || action.work.of !== "design") return;
  const text = tree.text(getFeatureDesignPath(action.work.feature));
  if (design.hash === (text === undefined ? "" : engine.digest(text))) return;
  throw new Fault("store.conflict", {
    what: `Nothing was reported of ${action.id}.`,
    why: `${getFeatureDesignPath(action.work.feature)} changed while it was being looked at.`,
    fix: { operation: "roadmap.report" },
  });
}
