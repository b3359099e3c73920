import type * as z from "zod";
import { sanitizeText } from "#domain/quote.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import { type Decision, decide } from "#domain/roadmap/lead/decide.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { headOf, reviewKey } from "#domain/roadmap/lead/ids.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { getFeatureFolder } from "#domain/workspace/path.ts";

import { estimated } from "./brief.ts";
import { filesOf } from "./facts/hashes.ts";
import type { ActionView } from "./schema.ts";

export type View = z.infer<typeof ActionView>;

export function aboutOf(action: Action): string {
  switch (action.kind) {
    case "spawn":
      return workOf(action);
    case "gate":
      return `run the tests of ${action.feature}`;
    case "ask":
      return `ask the user: ${action.question} of ${sanitizeText(action.subject, 80)}`;
    case "commit":
      return `commit ${action.features.join(", ")}`;
  }
}

function workOf({ role, work }: Extract<Action, { kind: "spawn" }>): string {
  switch (work.of) {
    case "design":
      return `${work.isFix ? "mend the design" : work.mode === "new" ? "design" : "design anew"}: ${work.feature}`;
    case "tasks":
      return `plan the tasks: ${work.feature}`;
    case "build":
      return `${work.isFix ? "mend" : "build"} group ${work.group}: ${work.feature}`;
    case "review":
      return `${role.startsWith("auditor") ? "audit" : "inspect"}: ${headOf(work.scope)}`;
  }
}

export function viewAction(lead: Lead, action: Action): View {
  const known = { id: action.id, kind: action.kind, about: aboutOf(action) };
  switch (action.kind) {
    case "spawn":
      return { ...known, role: action.role, estimate: estimated(action) };
    case "gate":
      return known;
    case "ask":
      return {
        ...known,
        question: action.question,
        choices: [...action.choices],
        detail: sanitizeText(action.detail, LONGEST_DETAIL),
      };
    case "commit":
      return {
        ...known,
        message: sanitizeText(action.message, LONGEST_DETAIL),
        paths: offeredPaths(lead, action.features),
      };
  }
}

const LONGEST_DETAIL = 2_000;

/** All documents under `sdd/`, because waves, steering and decisions belong to the commit too, and the code. */
function offeredPaths(lead: Lead, names: readonly string[]): string[] {
  const removed = new Set(removedPaths(lead, names));
  return ["sdd/", ...committedPaths(lead, names).filter((path) => !path.startsWith("sdd/") && !removed.has(path))];
}

export function committedPaths(lead: Lead, names: readonly string[]): string[] {
  const files = recordsOf(lead, names).flatMap((record) => [
    `${getFeatureFolder(record.feature_name)}/`,
    ...filesOf(record),
  ]);
  return [...new Set([...files, ...removedPaths(lead, names)])];
}

/** Files removed since the last commit. Git may never have tracked them. */
export const removedPaths = (lead: Lead, names: readonly string[]): string[] =>
  recordsOf(lead, names).flatMap(({ implementation }) => implementation.files_removed ?? []);

const recordsOf = ({ features }: Lead, names: readonly string[]): FeatureRecord[] =>
  [...features.values()].filter(({ feature_name }) => names.includes(feature_name));

export function featuresOf(action: Action): readonly string[] {
  switch (action.kind) {
    case "spawn":
      if (action.work.of !== "review") return [action.work.feature];
      return action.work.scope.of === "feature" ? [action.work.scope.feature] : [];
    case "gate":
      return [action.feature];
    case "ask":
      return [action.subject];
    case "commit":
      return action.features;
  }
}

export interface Due {
  readonly due: View[];
  readonly more: number;
  /** Reviews that start with the next `sdd_next` call, such as `user-login/design`. */
  readonly reviews: string[];
  readonly idle?: string;
}

const MOST_DUE = 10;

export function dueIn(lead: Lead, decision: Decision = decide(lead)): Due {
  const due = decision.actions.map((action) => viewAction(lead, action));
  const reviews = decision.reviews.map(({ review, scope }) => reviewKey(review, scope));
  return {
    due: due.slice(0, MOST_DUE),
    more: Math.max(0, due.length - MOST_DUE),
    reviews,
    ...(decision.idle === null || due.length + reviews.length > 0 ? {} : { idle: decision.idle }),
  };
}
