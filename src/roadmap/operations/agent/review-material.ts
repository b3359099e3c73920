import type { RoadmapRole } from "../../model/agent/agent-roles.ts";
import type { AgentWork, OpenReview, Lead, ReviewScope } from "../../model/lead/lead-state.ts";
import {
  type RoleMaterial,
  type BriefSource,
  formatInspectionLines,
  createDocumentPiece,
  formatInlinePath,
  createListPiece,
  createFindingsPiece,
  createWaivedPiece,
} from "./brief-pieces.ts";
import { createKnowledgeMaterial, createSteeringPaths } from "./project-material.ts";
import { type BriefMaterial, quoteForeignName } from "../../model/agent/brief-composition.ts";
import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import { isSessionDecision, type LoggedDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { parseSessionDocument } from "../../model/handover/session-document.ts";
import { callInspectorRoll } from "../../model/review/stored-review.ts";
import { SPEC_RATIONALE_HEADING, readUserIntent } from "../../model/steering/product-document.ts";
import {
  DECISIONS_PATH,
  HANDOVER_SESSION_PATH,
  getSteeringFilePath,
  FEATURE_FOLDER,
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureReviewPath,
  getFeatureTasksPath,
  type WorkspacePath,
  getReviewPath,
  ROADMAP_PATH,
} from "#kernel/model/workspace-paths.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { ReviewKind } from "../../model/review/review-finding.ts";
import { formatReviewScope } from "../../model/review/review-report.ts";
import type { TemplateValues } from "#kernel/model/template.ts";

type ReviewWork = Extract<AgentWork, { of: "review" }>;

/** Inspectors get the scope and its history. Auditors also get the inspections, the user's intent and the decisions. */
export function gatherReviewMaterial({ tree, lead }: BriefSource, role: RoadmapRole, work: ReviewWork): RoleMaterial {
  const review = getOpenReview(lead.reviews.get(work.review), work.review);
  const isAuditor = role.startsWith("auditor-");
  const scope = createScopeMaterial(lead, review, isAuditor ? 4 : 1);
  const history = createHistoryMaterial(review);
  const steering = createSteeringPaths(tree, 5);
  if (!isAuditor) {
    const learned = createKnowledgeMaterial(tree, role, listScopeFeatures(lead, review.scope));
    return { values: createScopeValues(review), material: [...scope, ...history, ...learned, ...steering] };
  }
  return {
    values: createScopeValues(review),
    material: [
      ...createIntentMaterial(tree),
      ...createInspectionMaterial(review),
      ...history,
      ...createDecisionMaterial(tree),
      ...scope,
      ...steering,
    ],
  };
}

function getOpenReview(review: OpenReview | undefined, key: string): OpenReview {
  if (!review) throw new Error(`The action names the review ${key}, which is not open.`);
  return review;
}

const PRODUCT_PAGE = getSteeringFilePath("product.md");
const INTENT_HEADING = "User Intent";
const MAX_LATEST_DECISIONS = 12;

function createInspectionMaterial(review: OpenReview): BriefMaterial {
  const { reported, missing, awaited } = callInspectorRoll(review);
  const lost = [...missing, ...awaited];
  const said = lost.length === 0 ? "Nobody is missing." : `Missing: ${lost.join(", ")}. Nobody looked from there.`;
  const names = reported.length === 0 ? "nobody" : reported.join(", ");
  return [
    { label: "Roll call", remark: `Reported: ${names}. ${said}` },
    ...reported.flatMap((name) =>
      createListPiece(`Inspector ${name}`, formatInspectionLines(review.inspections[name] ?? EMPTY_INSPECTION), {
        rank: 1,
        share: 1.2 / reported.length,
        unit: "line",
        where: "the report of that inspector, which whoever started you has handed in",
      }),
    ),
  ];
}

const EMPTY_INSPECTION = { scope: "", findings: [], notes: [] };

/** The user's intent verbatim, or a remark that it is missing. */
function createIntentMaterial(tree: StoreTree): BriefMaterial {
  const product = tree.text(PRODUCT_PAGE);
  if (product === undefined)
    return [{ label: INTENT_HEADING, remark: formatMissingIntent(`There is no ${formatInlinePath(PRODUCT_PAGE)}`) }];
  const { vision, success_criteria, anti_goals } = readUserIntent(product);
  if (vision === "" && success_criteria.length + anti_goals.length === 0)
    return [
      {
        label: INTENT_HEADING,
        remark: formatMissingIntent(`${formatInlinePath(PRODUCT_PAGE)} does not say yet what the user wants`),
      },
    ];
  return [
    ...createDocumentPiece(INTENT_HEADING, PRODUCT_PAGE, extractSectionText(product, INTENT_HEADING), {
      rank: 1,
      share: 0.25,
    }),
    ...createDocumentPiece(SPEC_RATIONALE_HEADING, PRODUCT_PAGE, extractSectionText(product, SPEC_RATIONALE_HEADING), {
      rank: 3,
      share: 0.1,
    }),
  ];
}

const formatMissingIntent = (why: string): string =>
  `${why}, so point 7 cannot be checked. Judge by the descriptions of the features, and say in NOTES that the intent is not written down.`;

function createDecisionMaterial(tree: StoreTree): BriefMaterial {
  const meant = createExceptionMaterial(tree);
  const log = tree.text(DECISIONS_PATH);
  if (log === undefined)
    return [
      ...meant,
      { label: "Decisions", remark: `None are recorded: there is no ${formatInlinePath(DECISIONS_PATH)}.` },
    ];
  const all = parseDecisionLog(log).toReversed();
  const isException = ({ type }: LoggedDecision): boolean => type === "STEERING_EXCEPTION";
  const told = all.filter((each) => !isException(each) && !isSessionDecision(each)).slice(0, MAX_LATEST_DECISIONS);
  const of = { unit: "decision", where: formatInlinePath(DECISIONS_PATH) };
  return [
    ...meant,
    ...createListPiece("Steering exceptions, the latest first", all.filter(isException).map(formatLoggedDecision), {
      rank: 2,
      share: 0.15,
      ...of,
    }),
    ...createListPiece("Latest decisions", told.map(formatLoggedDecision), { rank: 4, share: 0.1, ...of }),
  ];
}

/** An unreadable session page does not stop a review. */
function createExceptionMaterial(tree: StoreTree): BriefMaterial {
  const text = createTolerantTree(tree, () => undefined).text(HANDOVER_SESSION_PATH) ?? "";
  return createDocumentPiece(
    "Steering exceptions that sessions left",
    HANDOVER_SESSION_PATH,
    parseSessionDocument(text).exceptions,
    {
      rank: 2,
      share: 0.1,
    },
  );
}

function formatLoggedDecision({ number, type, summary, decision, reason, steeringRef }: LoggedDecision): string {
  const lines = [
    ["Decision", decision],
    ["Reason", reason],
    ["Steering-ref", steeringRef ?? ""],
  ] as const;
  return [
    `D${number}: ${type} | ${summary}`,
    ...lines.filter(([, said]) => said !== "").map((line) => `- ${line.join(": ")}`),
  ].join("\n");
}

function createScopeValues({ scope, batch, of, tracked, mended }: OpenReview): TemplateValues {
  const tasks = scope.of === "feature" ? (scope.tasks ?? []) : [];
  return {
    scope: formatReviewScope(scope),
    wave: scope.of === "wave" ? String(scope.wave) : "",
    isSingle: scope.of === "feature",
    isWave: scope.of === "wave",
    isAll: scope.of === "all",
    isBroad: scope.of !== "feature",
    isRepeated: tracked.length + mended.length > 0,
    tasks: quoteForeignName(tasks.join(", ")),
    batch,
    hash: sanitizeText(of, 20),
  };
}

/** A review of a wave covers all earlier waves too. */
function listScopeFeatures({ features }: Lead, scope: ReviewScope): FeatureRecord[] {
  const all = [...features.values()];
  if (scope.of === "all") return all;
  if (scope.of === "feature") return all.filter(({ feature_name }) => feature_name === scope.feature);
  return all.filter(({ roadmap }) => roadmap !== null && roadmap.wave <= scope.wave);
}

function createScopeMaterial(lead: Lead, { kind, scope }: OpenReview, rank: number): BriefMaterial {
  const looked = listScopeFeatures(lead, scope);
  const later =
    scope.of === "wave" ? [...lead.features.values()].filter(({ roadmap }) => (roadmap?.wave ?? 0) > scope.wave) : [];
  return [
    ...createListPiece("Features in scope", looked.map(formatFeatureOverview), {
      rank: rank + 1,
      share: 0.25,
      unit: "feature",
      where: formatInlinePath(FEATURE_FOLDER),
    }),
    ...createListPiece("Files to look at", listScopeFiles(kind, looked, scope), {
      rank,
      share: 0.3,
      unit: "file",
      where: `the records (${formatInlinePath(scope.of === "feature" ? getFeatureRecordPath(scope.feature) : `${FEATURE_FOLDER}/*/spec.yaml`)})`,
    }),
    ...createListPiece("Designs that it builds on", scope.of === "feature" ? listBasisDesigns(looked) : [], {
      rank: rank + 2,
      share: 0.1,
      unit: "design",
      where: formatInlinePath(ROADMAP_PATH),
    }),
    ...createListPiece("Planned for later waves, and not there yet", later.map(formatFeatureOverview), {
      rank: rank + 2,
      share: 0.15,
      unit: "feature",
      where: formatInlinePath(ROADMAP_PATH),
    }),
  ];
}

function createHistoryMaterial({ scope, tracked, mended }: OpenReview): BriefMaterial {
  const where = `the reviews before this one (${formatInlinePath(scope.of === "feature" ? getFeatureReviewPath(scope.feature, "*") : getReviewPath("*"))})`;
  const waived = tracked.filter((finding) => finding.waived !== undefined);
  const open = tracked.filter((finding) => finding.waived === undefined);
  return [
    ...createFindingsPiece("Open since earlier reviews", open, { rank: 1, share: 0.25, where }),
    ...createWaivedPiece("Waived by the user: told again in the same words, they count no more", waived, {
      rank: 2,
      share: 0.15,
      where,
    }),
    ...createFindingsPiece("Mended since earlier reviews: must not come back", mended, { rank: 2, share: 0.2, where }),
  ];
}

export function formatFeatureOverview({ feature_name, description, phase, version, roadmap }: FeatureRecord): string {
  const placed = roadmap === null ? "" : `, wave ${roadmap.wave}`;
  const needs = roadmap?.dependencies.length ? `, builds on ${roadmap.dependencies.join(" and ")}` : "";
  return `${feature_name} (${version}, ${phase}${placed}${needs}): ${sanitizeText(description, 200)}`;
}

const listBasisDesigns = (features: readonly FeatureRecord[]): WorkspacePath[] =>
  features.flatMap(({ roadmap }) => (roadmap?.dependencies ?? []).map(getFeatureDesignPath));

function listScopeFiles(kind: ReviewKind, features: readonly FeatureRecord[], scope: ReviewScope): string[] {
  const tasks = scope.of === "feature" ? scope.tasks : undefined;
  const files = features.flatMap(({ feature_name: name, design, implementation }): string[] => {
    if (design === null) return [];
    if (kind === "design") return [getFeatureDesignPath(name), getFeatureResearchPath(name)];
    const { groups, files_created, tasks_hash } = implementation;
    const own = groups.filter((group) => !tasks || group.tasks.some((task) => tasks.includes(task)));
    return [
      getFeatureDesignPath(name),
      ...(tasks_hash === null ? [] : [getFeatureTasksPath(name)]),
      ...own.flatMap((group) => group.files),
      ...(tasks ? [] : files_created),
    ];
  });
  return [...new Set(files)];
}
