import type { Surroundings } from "#domain/change/artifact.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { type Family, mentions } from "#domain/document/reference.ts";
import type { Config } from "#domain/workspace/config.ts";
import { BUSINESS_RULES, changeArtifact, REQUIREMENTS } from "#domain/workspace/path.ts";
import { hasAdr, knownAdrs } from "../adr/shelf.ts";
import type { Tree } from "../ports/store.ts";
import type { ShelvedChange } from "./census.ts";

/** Leaves out the text of the stage itself: an artifact cannot define the ids it refers to. */
export function surroundings(tree: Tree, change: ShelvedChange, stage: ChangeStage, config: Config): Surroundings {
  const { shelf, record } = change;
  const text = (other: ChangeStage): string | undefined =>
    other === stage ? undefined : tree.text(changeArtifact(shelf, record.id, other));
  return {
    requirements: tree.text(REQUIREMENTS),
    rules: tree.text(BUSINESS_RULES),
    spec: text("spec"),
    tasks: text("tasks"),
    adrs: [...record.adrs, ...knownAdrs(tree)],
    told: stage === "context-check" ? idsTold(record) : [],
    isAdr: (reference) => hasAdr(tree, reference),
    headings: config.changes.headings[stage],
  };
}

const FAMILIES: readonly Family[] = ["requirement", "rule", "task", "adr"];

function idsTold({ context_check }: ChangeRecord): string[] {
  const lines = (context_check?.facts ?? []).map(({ fact }, i) => ({ number: i + 1, text: fact }));
  return FAMILIES.flatMap((family) => mentions(lines, family).map(({ id }) => id));
}
