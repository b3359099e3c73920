import { formatLineDiff } from "#kernel/model/line-diff.ts";
import {
  getFeatureDesignPath,
  getSteeringFilePath,
  STEERING_FOLDER,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { LedgerEntry, LedgerSpace, StoreTree } from "#store/operations/ports/store.ts";
import { listOutdatedBasis } from "../../model/feature-progress.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { normalizePlanText, normalizeSourceText } from "../../model/feature/held-content.ts";
import type { Lead, OpenReview, ReviewScope } from "../../model/lead/lead-state.ts";
import { createReviewKey, listActiveDependencies } from "../../model/lead/lead-view.ts";
import { listScopeFiles } from "../../model/review/review-scope.ts";
import type { ReviewKind } from "../../model/review/review-kinds.ts";
import type { RoadmapEngine } from "../engine.ts";

interface ReviewedTexts {
  readonly batch: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** The texts that the last review of a scope looked at, by checkout and review. */
const REVIEWED_SPACE: LedgerSpace<ReviewedTexts> = { name: "roadmap-reviewed" };
const MAX_KEPT_TEXT = 300_000;
const MAX_DELTA_LINES = 120;
const MAX_DELTA_TEXT = 6_000;

interface ReviewedContent {
  readonly kind: ReviewKind;
  readonly scope: ReviewScope;
  readonly features: readonly FeatureRecord[];
}

/** What a review looks at: files of its scope, designs that they build on, and steering. Undefined if that is too much. */
async function readReviewedTexts({ store, source }: RoadmapEngine, { kind, scope, features }: ReviewedContent) {
  const basis = scope.of === "feature" ? features.flatMap(listActiveDependencies).map(getFeatureDesignPath) : [];
  const paths = [...new Set<string>([...listScopeFiles(kind, features, scope), ...basis])];
  const texts = await store.read((tree) => {
    // Tenon itself writes into product.md.
    const steering = tree.names(STEERING_FOLDER).filter((name) => name.endsWith(".md") && name !== "product.md");
    const documents = [...paths.filter((path) => path.startsWith("sdd/")), ...steering.map(getSteeringFilePath)];
    return Object.fromEntries(documents.map((path) => [path, tree.text(path as WorkspacePath) ?? ""]));
  });
  for (const path of paths) texts[path] ??= (await source.text(path, MAX_KEPT_TEXT)) ?? "";
  const size = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
  return size > MAX_KEPT_TEXT ? undefined : texts;
}

/** Keeps what the review looked at. Its files are frozen until it ends. */
export async function planReviewedTexts(engine: RoadmapEngine, review: OpenReview, features: readonly FeatureRecord[]) {
  const { kind, scope, batch } = review;
  const texts = await readReviewedTexts(engine, { kind, scope, features });
  const key = `${engine.checkout} ${createReviewKey(kind, scope)}`;
  const entry: LedgerEntry = texts
    ? { space: REVIEWED_SPACE.name, key, value: { batch, texts } }
    : { space: REVIEWED_SPACE.name, key };
  return entry;
}

/** What changed since the last review of this scope. Undefined if nothing did, or so much that all has to be read again. */
export async function measureReviewDelta(
  engine: RoadmapEngine,
  content: ReviewedContent,
  reviewed: ReadonlySet<string>,
): Promise<NonNullable<OpenReview["delta"]> | undefined> {
  const key = `${engine.checkout} ${createReviewKey(content.kind, content.scope)}`;
  const before = await engine.store.read((tree) => tree.kept(REVIEWED_SPACE).get(key));
  if (!before || !reviewed.has(before.batch)) return undefined;
  const now = await readReviewedTexts(engine, content);
  if (!now) return undefined;
  const changed = [...new Set([...Object.keys(before.texts), ...Object.keys(now)])].filter(
    (path) => normalizeReviewed(path, before.texts[path] ?? "") !== normalizeReviewed(path, now[path] ?? ""),
  );
  if (changed.length === 0 || changed.some((path) => path.startsWith(`${STEERING_FOLDER}/`))) return undefined;
  const diffs = changed.map((path) => `${path}\n${formatLineDiff(before.texts[path] ?? "", now[path] ?? "")}`);
  const diff = diffs.join("\n\n");
  const lines = diff.split("\n").filter((line) => /^[-+]/.test(line)).length;
  return lines > MAX_DELTA_LINES || diff.length > MAX_DELTA_TEXT ? undefined : { batch: before.batch, diff };
}

const normalizeReviewed = (path: string, text: string): string =>
  path.endsWith("/tasks.yaml") ? normalizePlanText(text) : normalizeSourceText(path, text);

/** What changed in the designs below since the last review of a design that builds on them. */
export function formatBasisChanges(
  tree: StoreTree,
  checkout: string,
  { features }: Lead,
  feature: FeatureName,
): string {
  const record = features.get(feature);
  const key = `${checkout} ${createReviewKey("design", { of: "feature", feature })}`;
  const texts = tree.kept(REVIEWED_SPACE).get(key)?.texts ?? {};
  return (record ? listOutdatedBasis(features, record) : [])
    .flatMap((name) => {
      const path = getFeatureDesignPath(name as FeatureName);
      const before = texts[path];
      return before === undefined ? [] : [`${path}\n${formatLineDiff(before, tree.text(path) ?? "")}`];
    })
    .join("\n\n")
    .slice(0, MAX_DELTA_TEXT);
}
