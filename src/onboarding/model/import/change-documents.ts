import { formatSpecListItem } from "#planning/model/living-spec/item-edit.ts";
import type { WrittenDelta } from "#planning/model/living-spec/item-outline.ts";
import { selectSmallestFittingSize } from "#planning/model/change/change-size.ts";
import type { ChangeSize, ChangeStage, ChangeType } from "#kernel/model/stages/change-stages.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { formatNameAsTitle, parseCriterionSteps } from "./imported-markdown.ts";
import type { ForeignChange } from "./import-source.ts";
import { type NamedRequirement, parseRequirementText } from "./requirement-text.ts";

export function chooseChangeFlow(
  { name, design }: ForeignChange,
  requirements: number,
): { type: ChangeType; size: ChangeSize } {
  const isFix = /^(?:bug-?|hot-?)?fix(?:es)?\b/i.test(name);
  if (requirements === 0) {
    if (design !== undefined) return { type: "refactor", size: "medium" };
    return { type: isFix ? "fix" : /^refactor/i.test(name) ? "refactor" : "feature", size: "small" };
  }
  const isLarge = design !== undefined || selectSmallestFittingSize({ requirements }) === "large";
  return { type: isFix ? "fix" : "feature", size: isLarge ? "large" : "medium" };
}

export function formatChangeOpening(
  stage: ChangeStage,
  { name, proposal, deltas, builds }: ForeignChange,
  source: string,
): string {
  const { why, what, outOfScope, rest, text } = proposal;
  const title = `# ${formatNameAsTitle(name)}`;
  const unstated = `Not stated in ${source}.`;
  const leftOut = ["## Out of scope", outOfScope || unstated];
  if (stage === "describe") return joinBlocks([...(/^# /m.test(text) ? [] : [title]), text || unstated]);
  if (stage === "scope") return joinBlocks([title, why, "## In scope", what || unstated, ...leftOut, rest]);
  const hasScenarios = deltas.length > 0 || builds !== undefined;
  const success = hasScenarios ? "- Every scenario of the spec passes." : unstated;
  return joinBlocks([
    title,
    "## Problem",
    why,
    "## Solution",
    what,
    ...leftOut,
    "## Success criteria",
    success,
    ...(rest === "" ? [] : [rest]),
  ]);
}

const joinBlocks = (blocks: readonly string[]): string =>
  `${blocks
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .join("\n\n")}\n`;

export interface BuiltRequirement {
  readonly id: string;
  readonly requirement: NamedRequirement;
}

export function formatChangeSpec(
  deltas: readonly WrittenDelta[],
  built: readonly BuiltRequirement[],
  title: string,
): string {
  const sections = (["added", "modified", "removed"] as const).flatMap((op) => {
    const own = deltas.filter((delta) => delta.op === op);
    const items = own.map(({ id, text }) => formatSpecListItem(id, text).join("\n"));
    return own.length === 0 ? [] : [`### ${op.toUpperCase()}`, items.join("\n")];
  });
  const added = deltas.flatMap(({ op, id, text }): BuiltRequirement[] => {
    const requirement = op === "removed" ? undefined : parseRequirementText(text);
    return requirement ? [{ id, requirement }] : [];
  });
  const criteria = [...built, ...added].flatMap(formatAcceptanceCriteria);
  const gone = deltas.filter(({ op }) => op === "removed").map(({ id }) => `- Nothing does what ${id} asked for.`);
  return joinBlocks([
    `# ${title}`,
    "## Requirements",
    built.map(({ id }) => `- ${id}`).join("\n"),
    ...sections,
    "## Acceptance criteria",
    [...criteria, ...gone].join("\n"),
  ]);
}

function formatAcceptanceCriteria({ id, requirement }: BuiltRequirement): string[] {
  const { scenarios, text } = requirement;
  if (scenarios.length === 0) return [`- ${text.split("\n", 1)[0] ?? ""} (${id})`];
  return scenarios.map(({ name, steps }) => {
    const { given, when, outcome } = parseCriterionSteps(steps) ?? {};
    const parts = [given && `given ${given}`, when && `when ${when}`, outcome && `then ${outcome}`];
    const sentence = parts.filter(Boolean).join(", ") || "as its scenario says";
    const start = /^\d*$/.test(name)
      ? `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`
      : `${name}: ${sentence}`;
    return `- ${start} (${id}).`;
  });
}

export function formatChangeDesign(design: string, title: string, components: readonly string[]): string {
  const lines = stripTopHeading(design).split(/\r\n|\r|\n/);
  const prose = listProseLineIndexes(lines.join("\n"));
  const isHeading = (line: string, i: number): boolean => prose.has(i) && /^#{1,5}[ \t]/.test(line);
  const deeper = lines.some((line, i) => isHeading(line, i) && line.startsWith("# ")) ? "##" : "#";
  const demoted = lines.map((line, i) => (isHeading(line, i) ? `${deeper}${line}` : line)).join("\n");
  return joinBlocks([`# ${title}`, "## Approach", demoted, "## Components", components.join("\n")]);
}

const listProseLineIndexes = (text: string): ReadonlySet<number> =>
  new Set(parseProseLines(text).flatMap(({ number, isCode }) => (isCode ? [] : [number - 1])));

const stripTopHeading = (text: string): string => text.replace(/^\s*# .*(?:\r\n|\r|\n|$)/, "");

const CHECKBOX = /^(\s*)[-*+]\s+\[([ xX])\]\s+(.*)$/;

/** Numbers the tasks. Undefined without any: then the stage has still to be done. */
export function formatChangeTasks(tasks: string, title: string, ids: readonly string[]): string | undefined {
  let n = 0;
  const body = stripTopHeading(tasks);
  const prose = listProseLineIndexes(body);
  const lines = body.split(/\r\n|\r|\n/).map((line, i) => {
    const [whole, indent = "", mark = "", text = ""] = (prose.has(i) ? CHECKBOX.exec(line) : null) ?? [];
    if (whole === undefined) return line;
    return `${indent}- [${mark}] TASK-${String(++n).padStart(3, "0")}: ${text}`;
  });
  if (n === 0) return undefined;
  const about = ids.length === 0 ? "" : `These tasks build ${ids.join(", ")}.`;
  return joinBlocks([`# ${title}`, about, lines.join("\n")]);
}
