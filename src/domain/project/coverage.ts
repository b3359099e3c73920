import { PROJECT_VERDICTS, type ProjectVerdict } from "./vocabulary.ts";
import type { ProjectComponent } from "./components.ts";
import type { ProjectDocumentStage } from "./flow.ts";
import type { PlannedTask } from "./plan.ts";
import type { PrioritizedRequirement } from "./requirements.ts";

interface RequirementCoverage {
  readonly id: string;
  readonly components: readonly string[];
  readonly tasks: readonly string[];
}

export interface CoverageFinding {
  readonly finding: string;
  readonly stage: ProjectDocumentStage;
}

export interface CoverageFacts {
  readonly coverage: readonly RequirementCoverage[];
  readonly failures: readonly CoverageFinding[];
  readonly warnings: readonly CoverageFinding[];
  readonly verdict: ProjectVerdict;
}

export interface CoverageInput {
  readonly requirements: readonly PrioritizedRequirement[];
  readonly rules: readonly string[];
  readonly components: readonly ProjectComponent[];
  readonly tasks: readonly PlannedTask[];
  /** Errors unrelated to coverage, such as a mention of an unknown id. */
  readonly broken: readonly CoverageFinding[];
  readonly waived: readonly { readonly dimension: string; readonly reason: string }[];
}

/** A requirement in this many components has no clear owner. */
export const SCATTERED_COMPONENT_COUNT = 3;
/** A component with more requirements and rules than this should probably be split. */
export const MAX_ITEMS_PER_COMPONENT = 8;

export function deriveCoverageFacts({
  requirements,
  rules,
  components,
  tasks,
  broken,
  waived,
}: CoverageInput): CoverageFacts {
  const failures: CoverageFinding[] = [...broken];
  const warnings: CoverageFinding[] = [];
  const carriersOf = createCoverageLookup(components, tasks);
  const coverage = requirements
    .filter(({ priority }) => priority !== "wont")
    .map((requirement) => {
      const found = carriersOf(requirement.id);
      // An uncovered "must" requirement fails the project; "should" and "could" only warn.
      reportCoverageGaps(found, requirement.priority === "must" ? failures : warnings, warnings);
      return found;
    });
  if (components.length === 0) failures.push({ finding: "The design names no component.", stage: "design" });
  if (tasks.length === 0) failures.push({ finding: "There is no task.", stage: "tasks" });
  warnings.push(
    ...rules
      .map(carriersOf)
      .filter((rule) => rule.components.length + rule.tasks.length === 0)
      .map(({ id }): CoverageFinding => ({ finding: `${id} is named by no component and no task.`, stage: "design" })),
    ...tasks
      .filter(({ covers }) => covers.length === 0)
      .map(({ id }): CoverageFinding => ({ finding: `${id} names no requirement.`, stage: "tasks" })),
    ...components.flatMap(({ name, carries }): CoverageFinding[] => {
      if (carries.length === 0) return [{ finding: `The component ${name} names no requirement.`, stage: "design" }];
      const finding = `The component ${name} carries ${carries.length} requirements and rules: it is likely several.`;
      return carries.length > MAX_ITEMS_PER_COMPONENT ? [{ finding, stage: "design" }] : [];
    }),
    ...waived.map(({ dimension, reason }): CoverageFinding => ({
      finding: `${dimension} was waived: ${reason}`,
      stage: "clarify",
    })),
  );
  const verdict = failures.length > 0 ? "FAIL" : warnings.length > 0 ? "PASS_WITH_WARNINGS" : "PASS";
  return { coverage, failures, warnings, verdict };
}

type CoverageLookup = (id: string) => RequirementCoverage;

function createCoverageLookup(components: readonly ProjectComponent[], tasks: readonly PlannedTask[]): CoverageLookup {
  const carrying = groupNamesById(components.map(({ name, carries }) => [name, carries]));
  const covering = groupNamesById(tasks.map(({ id, covers }) => [id, covers]));
  return (id) => ({ id, components: carrying.get(id) ?? [], tasks: covering.get(id) ?? [] });
}

function groupNamesById(named: readonly (readonly [name: string, ids: readonly string[]])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, ids] of named) {
    for (const id of ids) {
      const names = found.get(id);
      if (names) names.push(name);
      else found.set(id, [name]);
    }
  }
  return found;
}

function reportCoverageGaps(
  { id, components, tasks }: RequirementCoverage,
  missing: CoverageFinding[],
  warnings: CoverageFinding[],
): void {
  if (components.length === 0)
    missing.push({ finding: `${id} is carried by no component of the design.`, stage: "design" });
  if (tasks.length === 0) missing.push({ finding: `${id} is covered by no task.`, stage: "tasks" });
  if (components.length >= SCATTERED_COMPONENT_COUNT) {
    const finding = `${id} is spread over ${components.length} components: ${components.join(", ")}.`;
    warnings.push({ finding, stage: "design" });
  }
}

/** A verdict may be stricter than the facts. A milder one needs a reason. */
export const isMilderVerdict = (said: ProjectVerdict, facts: ProjectVerdict): boolean =>
  PROJECT_VERDICTS.indexOf(said) < PROJECT_VERDICTS.indexOf(facts);
