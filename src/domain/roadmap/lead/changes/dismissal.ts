import type { FeatureName } from "../../../feature/name.ts";
import type { Action } from "../action.ts";
import { withRun } from "./counters.ts";
import type { Draft } from "../draft.ts";
import type { RunKey } from "../ids.ts";

/** Undefined for reviews, which count batches instead, and for questions and commits. */
export function runKeyOf(action: Action): { readonly feature: FeatureName; readonly key: RunKey } | undefined {
  if (action.kind === "gate") return { feature: action.feature, key: "gate" };
  if (action.kind !== "spawn") return undefined;
  const { work } = action;
  switch (work.of) {
    case "design":
      return { feature: work.feature, key: "architect" };
    case "tasks":
      return { feature: work.feature, key: "tasks" };
    case "build":
      return { feature: work.feature, key: `build-${work.group}` };
    case "review":
      return undefined;
  }
}

export function dismiss(draft: Draft, isMeant: (action: Action) => boolean): void {
  const meant = draft.allOut().filter(({ action }) => isMeant(action));
  for (const { action } of meant) {
    draft.end(action.id);
    draft.effect({ kind: "dismissed", action: action.id });
    const run = runKeyOf(action);
    const record = run && draft.feature(run.feature);
    if (record) draft.keep(withRun(record, run.key));
  }
}

export function dismissFeature(draft: Draft, name: FeatureName): void {
  dismiss(draft, ({ id }) => id.startsWith(`${name}/`));
  for (const key of draft.reviewKeys()) if (key.startsWith(`${name}/`)) draft.dropReview(key);
}

export function dismissCommit(draft: Draft, name: FeatureName): void {
  dismiss(draft, (action) => action.kind === "commit" && action.id.startsWith(`${name}/`));
}

/** The batch number of a dropped review is not reused. */
export function dropReview(draft: Draft, key: string): void {
  dismiss(draft, (action) => action.kind === "spawn" && action.work.of === "review" && action.work.review === key);
  draft.dropReview(key);
}

export function dismissAll(draft: Draft): void {
  dismiss(draft, () => true);
  for (const key of draft.reviewKeys()) draft.dropReview(key);
}
