import { getViewName } from "../agent/agent-roles.ts";
import type { OpenReview } from "../lead/lead-state.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { createFindingSignature, createUnaccountedTest, isSameFinding } from "./finding-history.ts";
import type { AuditResult, ReviewFinding } from "./review-finding.ts";

/** With more, the auditor's brief would hold little else. */
export const MAX_CONSENSUS = 5;

/** Several inspectors for each view: `rulebase`, `rulebase@2`, `rulebase@3`. */
export const listConsensusInspectors = (views: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, i) => views.map((view) => (i === 0 ? view : `${view}@${i + 1}`))).flat();

export interface AgreedFinding {
  readonly finding: ReviewFinding;
  readonly view: string;
  /** Inspectors of the view that report it, and inspectors of the view that reported at all. */
  readonly count: number;
  readonly of: number;
}

const isMajority = ({ count, of }: Pick<AgreedFinding, "count" | "of">): boolean => count * 2 > of;

/** Each finding of a view that several inspectors looked from, once, with how many of them report it. */
export function listAgreements({ inspections }: Pick<OpenReview, "inspections">): AgreedFinding[] {
  const byView = Map.groupBy(Object.entries(inspections), ([name]) => getViewName(name));
  return [...byView].flatMap(([view, reports]) => {
    if (reports.length < 2) return [];
    const groups: { finding: ReviewFinding; names: Set<string> }[] = [];
    for (const [name, { findings }] of reports)
      for (const finding of findings) {
        const known = groups.find((group) => isAgreeing(group.finding, finding));
        if (known) known.names.add(name);
        else groups.push({ finding, names: new Set([name]) });
      }
    return groups.map(({ finding, names }) => ({ finding, view, count: names.size, of: reports.length }));
  });
}

/** Two inspectors choose their own words, but a category and a line are the same fault. */
const isAgreeing = (one: ReviewFinding, other: ReviewFinding): boolean =>
  (one.category === other.category && one.location === other.location) ||
  isSameFinding(createFindingSignature(one), createFindingSignature(other));

/** Critical findings, and findings that most inspectors of a view report, that the audit says nothing about. */
export function findUnaccountedFindings(review: Pick<OpenReview, "inspections">, audit: AuditResult): Problem[] {
  const isUnaccounted = createUnaccountedTest(audit);
  const criticals = Object.entries(review.inspections).flatMap(([name, { findings }]) =>
    findings
      .filter(({ severity }) => severity === "C")
      .map((finding) => ({ finding, what: `The Critical of ${name}` })),
  );
  const agreed = listAgreements(review)
    .filter((each) => isMajority(each) && each.finding.severity !== "C")
    .map(({ finding, view, count, of }) => ({ finding, what: `The finding of ${count} of ${of} ${view} inspectors` }));
  return [...criticals, ...agreed].flatMap(({ finding, what }) => {
    if (!isUnaccounted(finding)) return [];
    const where = `${what} at ${quote(finding.location, 80)}, ${quote(finding.description)}`;
    return [{ problem: `${where}, is in neither VERIFIED, REMOVED nor RESOLVED.` }];
  });
}
