import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { type TaskGroupRecord, createFeatureRecord } from "#roadmap/model/feature/feature-record.ts";
import { formatStoredReview } from "#roadmap/model/review/stored-review.ts";
import type { ReviewFinding } from "#roadmap/model/review/review-finding.ts";
import type { SpawnAction, Lead, OpenReview } from "#roadmap/model/lead/lead-state.ts";
import { RESEARCH } from "../kit/feature.ts";
import { INSPECTION, SITUATIONS } from "./brief-situations.ts";
import {
  AT,
  BATCHES,
  FILES,
  finding,
  GROUPS,
  LOGIN,
  LOGIN_DESIGN,
  createPlacedFeature,
  type Situation,
  createStoredFindings,
} from "./harbour.ts";

const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i + 1));

/** A design with so many specs and components. */
function hugeDesign(n: number): string {
  const specs = many(
    n,
    (i) => `### Spec ${i}: Area ${i}\n**Goal:** Goal ${i}.\n\n**Acceptance Criteria:**\n1. Outcome ${i} is seen.\n`,
  );
  const rows = many(n, (i) => `| Part${i} | Does ${i} | ${i}.1 | \`src/part-${i}.ts\` |`);
  const blocks = many(
    n,
    (i) => `### Part${i}\n\n\`\`\`ts\npart${i}(input: Input${i}): Output${i}\n\`\`\`\n\n${"It holds. ".repeat(40)}\n`,
  );
  return LOGIN_DESIGN.replace(
    "### Non-Goals",
    `${specs.join("\n").replaceAll(/Spec (\d+)/g, (_, i: string) => `Spec ${Number(i) + 2}`)}\n### Non-Goals`,
  )
    .replace(/(\| Sessions \| Remembers[^\n]*\n)/, `$1${rows.join("\n")}\n`)
    .replace("\n## Error Handling", `\n${blocks.join("\n")}\n## Error Handling`);
}

const hugeTasks = (n: number): string =>
  [
    "tasks:",
    ...many(n, (i) =>
      [
        `  - id: "${i}"`,
        `    summary: Part ${i}`,
        "    details:",
        ...many(10, (j) => `      - "Point ${j} of part ${i} holds, whatever happens to the others of it"`),
        '    specs: ["1"]',
        "    status: pending",
      ].join("\n"),
    ),
    "execution:",
    "  - wave: 1",
    "    groups:",
    `      - { id: A, tasks: [${many(n, (i) => `"${i}"`).join(", ")}], files: [src/login.ts] }`,
    "",
  ].join("\n");

/** Everything is there, and far too much of it. */
export function hugeHarbour(): { readonly files: Record<string, string>; readonly situations: Map<string, Situation> } {
  const found = many(500, (i) =>
    finding(
      "LMHC"[i % 4] as ReviewFinding["severity"],
      `category-${i}`,
      `src/login.ts:${i}`,
      `It is wrong in way ${i}. `.repeat(4),
    ),
  );
  const tasks = many(300, String);
  const group: TaskGroupRecord = {
    id: "A",
    wave: 1,
    tasks,
    files: many(400, (i) => `src/login/part-${i}.ts`),
    depends: [],
    status: "pending",
  };
  const features = many(1_000, (i) => {
    const name = parseFeatureName(`feature-${i}`);
    return {
      ...createPlacedFeature(createFeatureRecord(name, "Something. ".repeat(300), "en", AT), (i % 3) + 1),
      design: { hash: "d", files: [], basis: {} },
    };
  });
  const crowd = (lead: Lead): Lead => {
    const records = new Map(lead.features);
    for (const record of features) records.set(record.feature_name, record);
    const login = records.get(LOGIN);
    if (login) {
      const dependencies = features.slice(0, 60).map(({ feature_name }) => feature_name);
      records.set(LOGIN, {
        ...login,
        description: "Users log in. ".repeat(280),
        roadmap: { wave: 2, dependencies, skipped: dependencies.slice(0, 5) },
        implementation: { ...login.implementation, groups: [group, ...GROUPS.slice(1)], excluded: [] },
      });
    }
    const inspections = (names: readonly string[]) =>
      Object.fromEntries(
        names.map((name) => [name, { ...INSPECTION, findings: found, notes: many(200, (i) => `Note ${i}`) }]),
      );
    const reviews = [...lead.reviews].map(([key, open]): [string, OpenReview] => [
      key,
      { ...open, tracked: found, mended: found, inspections: inspections(open.inspectors) },
    ]);
    return { ...lead, features: records, reviews: new Map(reviews) };
  };
  const enlarged = (action: SpawnAction): SpawnAction => {
    const { work } = action;
    if (work.of === "build") return { ...action, work: { ...work, group: "A", tasks } };
    if (work.of === "tasks")
      return { ...action, work: { ...work, excluded: group.files, blocker: "In the way. ".repeat(3_000) } };
    return action;
  };
  const product = `${FILES["sdd/steering/product.md"]}`.replace(
    "### Success Criteria\n",
    `### Success Criteria\n\n${many(900, (i) => `- Criterion ${i} is met.`).join("\n")}\n`,
  );
  const decisions = many(
    400,
    (i) =>
      `[${AT}] D${i}: ${i % 2 ? "STEERING_EXCEPTION" : "USER_DECISION"} | Number ${i}\n- Reason: ${"because ".repeat(30)}\n`,
  );
  const batches = Object.entries(BATCHES).map(([path, each]): [string, string] => [
    path,
    formatStoredReview({
      ...each,
      findings: createStoredFindings(found),
      unresolved: many(50, (i) => `Conflict ${i}`),
    }),
  ]);
  return {
    files: {
      ...Object.fromEntries(batches),
      "sdd/features/user-login/design.md": hugeDesign(600),
      "sdd/features/user-login/research.md": `${RESEARCH}\n${"x".repeat(300_000)}\n`,
      "sdd/features/user-login/tasks.yaml": hugeTasks(300),
      ...Object.fromEntries(
        features.slice(0, 10).map(({ feature_name }) => [`sdd/features/${feature_name}/design.md`, hugeDesign(50)]),
      ),
      "sdd/steering/product.md": product,
      "sdd/handover/decisions.md": decisions.join("\n"),
      ...Object.fromEntries(
        many(30, (i) => [`sdd/steering/topic-${i}.md`, `# Topic ${i}\n\n${"A rule. ".repeat(500)}\n`]),
      ),
    },
    situations: new Map(
      [...SITUATIONS].map(([name, { lead, action }]) => [name, { lead: crowd(lead), action: enlarged(action) }]),
    ),
  };
}
