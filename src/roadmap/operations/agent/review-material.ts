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
  formatFindingRow,
  type PieceWeight,
  sortBySeverity,
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
  getReviewPath,
  ROADMAP_PATH,
} from "#kernel/model/workspace-paths.ts";
import { listScopeFeatures } from "../lead/review-batches.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { ReviewKind } from "../../model/review/review-kinds.ts";
import { formatReviewScope } from "../../model/review/review-report.ts";
import type { TemplateValues } from "#kernel/model/template.ts";

type ReviewWork = Extract<AgentWork, { of: "review" }>;

/** Inspectors get the scope and its history. Auditors also get the inspections, the user's intent and the decisions. */
export function gatherReviewMaterial({ tree, lead }: BriefSource, role: RoadmapRole, work: ReviewWork): RoleMaterial {
  const review = lead.reviews.get(work.review);
  if (!review) throw new Error(`The action names the review ${work.review}, which is not open.`);
  const isAuditor = role.startsWith("auditor-");
  const looked = listScopeFeatures(lead, review.scope);
  const scope = createScopeMaterial(lead, review, looked, isAuditor ? 4 : 1);
  const history = createHistoryMaterial(review);
  const steering = createSteeringPaths(tree, 5);
  const material = isAuditor
    ? [
        ...createIntentMaterial(tree),
        ...createInspectionMaterial(review),
        ...history,
        ...createDecisionMaterial(tree),
        ...scope,
        ...steering,
      ]
    : [...scope, ...history, ...createKnowledgeMaterial(tree, role, looked), ...steering];
  return { values: createScopeValues(review), material };
}

const PRODUCT_PAGE = getSteeringFilePath("product.md");
const INTENT_HEADING = "User Intent";
const MAX_LATEST_DECISIONS = 12;

function createInspectionMaterial(review: OpenReview): BriefMaterial {
  const { reported, missing, awaited } = callInspectorRoll(review);
  const lost = [...missing, ...awaited];
  const said = lost.length === 0 ? "Nobody is missing." : `Missing: ${lost.join(", ")}. Nobody looked from there.`;
  const names = reported.length === 0 ? "nobody" : reported.join(", ");
  const where = "the report of that inspector, which whoever started you has handed in";
  return [
    { label: "Roll call", remark: `Reported: ${names}. ${said}` },
    ...reported.flatMap((name) => {
      const inspection = review.inspections[name] ?? { scope: "", findings: [], notes: [] };
      const weight = [1, 1.2 / reported.length] as const;
      return createListPiece(`Inspector ${name}`, formatInspectionLines(inspection), "line", where, weight);
    }),
  ];
}

/** The user's intent verbatim, or a remark that it is missing. */
function createIntentMaterial(tree: StoreTree): BriefMaterial {
  const product = tree.text(PRODUCT_PAGE);
  const remarkMissing = (why: string): BriefMaterial => [{ label: INTENT_HEADING, remark: formatMissingIntent(why) }];
  if (product === undefined) return remarkMissing(`There is no ${formatInlinePath(PRODUCT_PAGE)}`);
  const { vision, success_criteria, anti_goals } = readUserIntent(product);
  if (vision === "" && success_criteria.length + anti_goals.length === 0)
    return remarkMissing(`${formatInlinePath(PRODUCT_PAGE)} does not say yet what the user wants`);
  const createSection = (heading: string, weight: PieceWeight): BriefMaterial =>
    createDocumentPiece(heading, PRODUCT_PAGE, extractSectionText(product, heading), weight);
  return [...createSection(INTENT_HEADING, [1, 0.25]), ...createSection(SPEC_RATIONALE_HEADING, [3, 0.1])];
}

const formatMissingIntent = (why: string): string =>
  `${why}, so point 7 cannot be checked. Judge by the descriptions of the features, and say in NOTES that the intent is not written down.`;

function createDecisionMaterial(tree: StoreTree): BriefMaterial {
  const where = formatInlinePath(DECISIONS_PATH);
  const meant = createExceptionMaterial(tree);
  const log = tree.text(DECISIONS_PATH);
  if (log === undefined) return [...meant, { label: "Decisions", remark: `None are recorded: there is no ${where}.` }];
  const all = parseDecisionLog(log).toReversed();
  const isException = ({ type }: LoggedDecision): boolean => type === "STEERING_EXCEPTION";
  const exceptions = all.filter(isException).map(formatLoggedDecision);
  const others = all.filter((each) => !isException(each) && !isSessionDecision(each));
  const latest = others.slice(0, MAX_LATEST_DECISIONS).map(formatLoggedDecision);
  return [
    ...meant,
    ...createListPiece("Steering exceptions, the latest first", exceptions, "decision", where, [2, 0.15]),
    ...createListPiece("Latest decisions", latest, "decision", where, [4, 0.1]),
  ];
}

/** An unreadable session page does not stop a review. */
function createExceptionMaterial(tree: StoreTree): BriefMaterial {
  const text = createTolerantTree(tree, () => undefined).text(HANDOVER_SESSION_PATH) ?? "";
  const { exceptions } = parseSessionDocument(text);
  const label = "Steering exceptions that sessions left";
  return createDocumentPiece(label, HANDOVER_SESSION_PATH, exceptions, [2, 0.1]);
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

function createScopeMaterial(
  lead: Lead,
  { kind, scope }: OpenReview,
  looked: readonly FeatureRecord[],
  rank: number,
): BriefMaterial {
  const roadmap = formatInlinePath(ROADMAP_PATH);
  const records = scope.of === "feature" ? getFeatureRecordPath(scope.feature) : `${FEATURE_FOLDER}/*/spec.yaml`;
  const basis = scope.of === "feature" ? looked.flatMap((record) => record.roadmap?.dependencies ?? []) : [];
  const later =
    scope.of === "wave" ? [...lead.features.values()].filter((each) => (each.roadmap?.wave ?? 0) > scope.wave) : [];
  const featureFolder = formatInlinePath(FEATURE_FOLDER);
  return [
    ...createListPiece("Features in scope", looked.map(formatFeatureOverview), "feature", featureFolder, [
      rank + 1,
      0.25,
    ]),
    ...createListPiece(
      "Files to look at",
      listScopeFiles(kind, looked, scope),
      "file",
      `the records (${formatInlinePath(records)})`,
      [rank, 0.3],
    ),
    ...createListPiece("Designs that it builds on", basis.map(getFeatureDesignPath), "design", roadmap, [
      rank + 2,
      0.1,
    ]),
    ...createListPiece(
      "Planned for later waves, and not there yet",
      later.map(formatFeatureOverview),
      "feature",
      roadmap,
      [rank + 2, 0.15],
    ),
  ];
}

function createHistoryMaterial({ scope, tracked, mended }: OpenReview): BriefMaterial {
  const path = scope.of === "feature" ? getFeatureReviewPath(scope.feature, "*") : getReviewPath("*");
  const where = `the reviews before this one (${formatInlinePath(path)})`;
  const open = tracked.filter((finding) => finding.waived === undefined);
  const waived = sortBySeverity(tracked.filter((finding) => finding.waived !== undefined));
  const waivers = waived.map((finding) => `${formatFindingRow(finding)}\nWaived: ${finding.waived}`);
  const waivedLabel = "Waived by the user: told again in the same words, they count no more";
  return [
    ...createFindingsPiece("Open since earlier reviews", open, where, [1, 0.25]),
    ...createListPiece(waivedLabel, waivers, "finding", where, [2, 0.15]),
    ...createFindingsPiece("Mended since earlier reviews: must not come back", mended, where, [2, 0.2]),
  ];
}

export function formatFeatureOverview({ feature_name, description, phase, version, roadmap }: FeatureRecord): string {
  const placed = roadmap === null ? "" : `, wave ${roadmap.wave}`;
  const needs = roadmap?.dependencies.length ? `, builds on ${roadmap.dependencies.join(" and ")}` : "";
  return `${feature_name} (${version}, ${phase}${placed}${needs}): ${sanitizeText(description, 200)}`;
}

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
