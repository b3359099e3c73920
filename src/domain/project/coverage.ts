import { VERDICTS, type ProjectVerdict } from "./vocabulary.ts";
import type { Component } from "./components.ts";
import type { WrittenStage } from "./flow.ts";
import type { PlannedTask } from "./plan.ts";
import type { Requirement } from "./requirements.ts";

interface Coverage {
  readonly id: string;
  readonly components: readonly string[];
  readonly tasks: readonly string[];
}

export interface Finding {
  readonly finding: string;
  readonly stage: WrittenStage;
}

export interface Facts {
  readonly coverage: readonly Coverage[];
  readonly failures: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly verdict: ProjectVerdict;
}

export interface Documents {
  readonly requirements: readonly Requirement[];
  readonly rules: readonly string[];
  readonly components: readonly Component[];
  readonly tasks: readonly PlannedTask[];
  /** Errors unrelated to coverage, such as a mention of an unknown id. */
  readonly broken: readonly Finding[];
  readonly waived: readonly { readonly dimension: string; readonly reason: string }[];
}

/** A requirement in this many components has no clear owner. */
export const SCATTERED = 3;
/** A component with more requirements and rules than this should probably be split. */
export const CROWDED = 8;

export function factsOf({ requirements, rules, components, tasks, broken, waived }: Documents): Facts {
  const failures: Finding[] = [...broken];
  const warnings: Finding[] = [];
  const carriersOf = carriersIn(components, tasks);
  const coverage = requirements
    .filter(({ priority }) => priority !== "wont")
    .map((requirement) => {
      const found = carriersOf(requirement.id);
      // An uncovered "must" requirement fails the project; "should" and "could" only warn.
      judge(found, requirement.priority === "must" ? failures : warnings, warnings);
      return found;
    });
  if (components.length === 0) failures.push({ finding: "The design names no component.", stage: "design" });
  if (tasks.length === 0) failures.push({ finding: "There is no task.", stage: "tasks" });
  warnings.push(
    ...rules
      .map(carriersOf)
      .filter((rule) => rule.components.length + rule.tasks.length === 0)
      .map(({ id }): Finding => ({ finding: `${id} is named by no component and no task.`, stage: "design" })),
    ...tasks
      .filter(({ covers }) => covers.length === 0)
      .map(({ id }): Finding => ({ finding: `${id} names no requirement.`, stage: "tasks" })),
    ...components.flatMap(({ name, carries }): Finding[] => {
      if (carries.length === 0) return [{ finding: `The component ${name} names no requirement.`, stage: "design" }];
      const finding = `The component ${name} carries ${carries.length} requirements and rules: it is likely several.`;
      return carries.length > CROWDED ? [{ finding, stage: "design" }] : [];
    }),
    ...waived.map(({ dimension, reason }): Finding => ({
      finding: `${dimension} was waived: ${reason}`,
      stage: "clarify",
    })),
  );
  const verdict = failures.length > 0 ? "FAIL" : warnings.length > 0 ? "PASS_WITH_WARNINGS" : "PASS";
  return { coverage, failures, warnings, verdict };
}

type Carriers = (id: string) => Coverage;

function carriersIn(components: readonly Component[], tasks: readonly PlannedTask[]): Carriers {
  const carrying = byId(components.map(({ name, carries }) => [name, carries]));
  const covering = byId(tasks.map(({ id, covers }) => [id, covers]));
  return (id) => ({ id, components: carrying.get(id) ?? [], tasks: covering.get(id) ?? [] });
}

function byId(named: readonly (readonly [name: string, ids: readonly string[]])[]): Map<string, string[]> {
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

function judge({ id, components, tasks }: Coverage, missing: Finding[], warnings: Finding[]): void {
  if (components.length === 0)
    missing.push({ finding: `${id} is carried by no component of the design.`, stage: "design" });
  if (tasks.length === 0) missing.push({ finding: `${id} is covered by no task.`, stage: "tasks" });
  if (components.length >= SCATTERED) {
    const finding = `${id} is spread over ${components.length} components: ${components.join(", ")}.`;
    warnings.push({ finding, stage: "design" });
  }
}

/** A verdict may be stricter than the facts. A milder one needs a reason. */
export const isMilder = (said: ProjectVerdict, facts: ProjectVerdict): boolean =>
  VERDICTS.indexOf(said) < VERDICTS.indexOf(facts);
