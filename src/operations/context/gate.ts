import { unanswered } from "#domain/context/answers.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { ShelvedChange } from "../change/census.ts";
import type { Engine } from "../engine.ts";
import type { Tree } from "../ports/store.ts";
import { lookAround, treeOf } from "./look.ts";

export function contextProblems(
  engine: Pick<Engine, "digest">,
  tree: Tree,
  change: ShelvedChange,
  artifact: string,
): Problem[] {
  const { context_check: check } = change.record;
  if (!check) return [{ problem: "No context check was made for this change: make one and answer what it finds." }];
  if (check.tree !== treeOf(engine, change, lookAround(tree, change))) {
    return [
      {
        problem: `The context check of ${check.at} no longer holds, for what it was made from has changed: make it again.`,
      },
    ];
  }
  return unanswered(check.facts, artifact);
}
