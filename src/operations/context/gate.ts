import { findUnansweredFacts } from "#domain/context/answers.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { StoredChange } from "../change/census.ts";
import type { Engine } from "../engine.ts";
import type { StoreTree } from "../ports/store.ts";
import { readContextSnapshot, digestContextSnapshot } from "./look.ts";

export function findContextCheckProblems(
  engine: Pick<Engine, "digest">,
  tree: StoreTree,
  change: StoredChange,
  artifact: string,
): Problem[] {
  const { context_check: check } = change.record;
  if (!check) return [{ problem: "No context check was made for this change: make one and answer what it finds." }];
  if (check.tree !== digestContextSnapshot(engine, change, readContextSnapshot(tree, change))) {
    return [
      {
        problem: `The context check of ${check.at} no longer holds, for what it was made from has changed: make it again.`,
      },
    ];
  }
  return findUnansweredFacts(check.facts, artifact);
}
