import fs from "node:fs";
import { dirname, join } from "node:path";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { formatStoredReview } from "#roadmap/model/review/stored-review.ts";
import { architectSays } from "../roadmap/agents.ts";
import { designOf, researchOf } from "../roadmap/feature-documents.ts";

const CUT = { feature: "tide-table", groups: ["A"] };
const FOLDER = `sdd/features/${CUT.feature}`;
export const PLAN = [
  { name: CUT.feature },
  { name: "alarm", description: "Skippers wake", dependencies: [CUT.feature] },
];

/** A review with one finding, as an auditor left it. */
const REVIEW = formatStoredReview({
  batch: "B1",
  kind: "design",
  scope: { of: "feature", feature: CUT.feature as FeatureName },
  at: "2026-01-31T12:00:00Z",
  of: "an earlier design",
  verdict: "CONDITIONAL",
  computed: "CONDITIONAL",
  override: null,
  disposition: "CONDITIONAL-TRACKED",
  counts: { C: 0, H: 1, M: 0, L: 0 },
  inspectors: ["rulebase"],
  missing: [],
  findings: [
    {
      id: "F1",
      severity: "H",
      category: "coverage-gap",
      location: "Spec 1",
      description: "It says nothing of errors.",
      sources: ["rulebase"],
      seen: "new",
    },
  ],
  removed: [],
  resolved_conflicts: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  mended: [],
  notes: [],
});

/** What an Architect of the feature writes, and the report that it ends with. */
export function writePapers(root: string): void {
  const files = {
    [`${FOLDER}/design.md`]: designOf(CUT),
    [`${FOLDER}/research.md`]: researchOf(CUT),
    [`${FOLDER}/reviews/B1.yaml`]: REVIEW,
    "report.txt": architectSays(CUT),
  };
  write(root, files);
}

/** What two features learned, of which a skill may be made. */
const SHARED = `# Times are UTC

## Pattern Summary

Times are kept in UTC.

## Seen In

- tide-table, builder, 2026-01-31: Times are kept in UTC
- alarm, builder, 2026-01-31: Keep times in UTC
`;

/** As a file of knowledge. */
export const writeLesson = (root: string): void => write(root, { "sdd/knowledge/pattern-data-utc.md": SHARED });

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
}

/** A feature from its description to its tasks, and a roadmap around it: every operation of the roadmap once. */
export const FEATURE_LIFE: readonly (readonly [operation: string, input: Record<string, unknown>])[] = [
  ["feature.design", { feature: CUT.feature, description: "Skippers see the tides" }],
  ["roadmap.next", {}],
  ["roadmap.brief", { action: `${CUT.feature}/architect/1` }],
  ["roadmap.report", { action: `${CUT.feature}/architect/1`, report: architectSays(CUT) }],
  ["review.waive", { scope: CUT.feature, batch: "B1", finding: "F1", reason: "The port knows" }],
  ["review.begin", { kind: "design", feature: CUT.feature, history: true }],
  ["review.begin", { kind: "design", feature: CUT.feature }],
  ["roadmap.manage", { action: "stop", reason: "Enough" }],
  ["feature.impl", { feature: CUT.feature }],
  ["workspace.status", { feature: CUT.feature, impact: true }],
  ["roadmap.manage", { action: "create" }],
  ["roadmap.manage", { action: "create", features: PLAN }],
  ["roadmap.manage", { action: "update", features: PLAN.slice(0, 1) }],
  ["roadmap.manage", { action: "run", plan: true }],
  ["roadmap.manage", { action: "run", gate: true }],
  ["roadmap.manage", {}],
  ["roadmap.manage", { action: "delete" }],
];
