import { code, codeOf, type Cut, designOf, researchOf, tasksOf, testOf, tests } from "./feature-documents.ts";

/** Where agents write, and commit. */
export interface Ground {
  readonly write: (path: string, text: string) => void;
  readonly commit: (message: string) => void;
}

/** An action as an agent is given it. */
export interface Given {
  readonly id: string;
  readonly kind: string;
  readonly role?: string;
  readonly views?: readonly string[];
  readonly choices?: readonly string[];
  readonly message?: string;
  readonly paths?: readonly string[];
  readonly brief?: string;
}

/** What somebody says when they are done. */
export type Said = Readonly<Record<string, unknown>>;

/** Features by name, each cut into its groups. */
export type Cuts = ReadonlyMap<string, Cut>;

export const cutsOf = (groups: Readonly<Record<string, readonly string[]>>): Cuts =>
  new Map(Object.entries(groups).map(([feature, ids]) => [feature, { feature, groups: ids }]));

const getFeature = ({ id }: Given): string => id.split("/")[0] ?? "";
const getGroup = ({ id }: Given): string => /\/build-([^/]+)\//.exec(id)?.[1] ?? "";

/** Does what is asked, honestly, and says so. */
export function doWork(stand: Ground, cuts: Cuts, given: Given): Said {
  const cut = cuts.get(getFeature(given)) ?? { feature: getFeature(given), groups: ["A"] };
  const folder = `sdd/features/${cut.feature}`;
  if (given.kind === "gate") return {};
  if (given.kind === "ask") return { answer: given.choices?.[0], said: "Go on" };
  if (given.kind === "commit") {
    stand.commit(given.message ?? "Done");
    return {};
  }
  if (given.role === "architect") {
    stand.write(`${folder}/design.md`, designOf(cut, `Version ${given.id}.`));
    stand.write(`${folder}/research.md`, researchOf(cut));
    return { report: architectSays(cut) };
  }
  if (given.role === "task-generator") {
    stand.write(`${folder}/tasks.yaml`, tasksOf(cut));
    return { report: taskGeneratorSays(cut) };
  }
  if (given.role === "builder") {
    build(stand, cut, getGroup(given));
    return { report: builderSays(cut, getGroup(given)) };
  }
  return { report: given.role?.startsWith("auditor") ? auditorSays("GO", given) : inspectorSays(given) };
}

export function build(stand: Pick<Ground, "write">, cut: Cut, group: string): void {
  stand.write(codeOf(cut, group), code(cut, group));
  stand.write(testOf(cut, group), tests(cut, group));
}

export const architectSays = ({ feature }: Cut): string =>
  [
    "ARCHITECT_COMPLETE",
    `Feature: ${feature}`,
    "Mode: new",
    "Artifacts: design.md, research.md",
    "Discovery: full",
    "Key findings: One module a part is enough",
    "",
  ].join("\n");

const taskGeneratorSays = ({ feature, groups }: Cut): string =>
  [
    "TASKGEN_COMPLETE",
    `Feature: ${feature}`,
    `Tasks: ${groups.length} major, 0 sub-tasks`,
    "Parallel tasks: none",
    "Specs covered: all",
    `Execution: 1 waves, ${groups.length} groups`,
    "",
  ].join("\n");

export const builderSays = (cut: Cut, group: string, files = [codeOf(cut, group), testOf(cut, group)]): string =>
  [
    "BUILDER_COMPLETE",
    `Feature: ${cut.feature}`,
    `Tasks completed: ${cut.groups.indexOf(group) + 1}`,
    `Files: ${files.join(", ")}`,
    "Tests: 1/1",
    "",
  ].join("\n");

export const blockedSays = (cut: Cut, group: string, blocker = "missing dependency: left-pad"): string =>
  [
    "BUILDER_BLOCKED",
    `Feature: ${cut.feature}`,
    `Blocker: ${blocker}`,
    `Tasks affected: ${cut.groups.indexOf(group) + 1}`,
    "Attempted: To do without",
    "",
  ].join("\n");

/** Rows of findings, as `C|test-failure|src/a.mjs|It fails`. */
export const inspectorSays = (given: Given, rows: readonly string[] = []): string =>
  (given.views ?? [""])
    .flatMap((view, i) => [
      ...(view === "" ? [] : [`VIEW:${view}`]),
      `SCOPE:${getFeature(given)}`,
      ...(rows.length > 0 && i === 0 ? ["ISSUES:", ...rows] : []),
      "",
    ])
    .join("\n");

export const auditorSays = (verdict: string, given: Given, rows: readonly string[] = [], more = ""): string =>
  [
    `VERDICT:${verdict}`,
    `SCOPE:${getFeature(given)}`,
    ...(rows.length > 0 ? ["VERIFIED:", ...rows.map((row) => `test+quality|${row}`)] : []),
    more,
  ].join("\n");
