import { type PlainYamlNode, formatPlainYaml } from "../plain-yaml.ts";
import { sanitizeText } from "../quote.ts";
import { createYamlNode } from "../spec/yaml/located.ts";
import { parseUserStory } from "../spec/yaml/sentence.ts";
import { deriveIdPrefix } from "../workflow/naming.ts";
import type { WorkflowId } from "../workflow/id.ts";
import type { ForeignCriterion, ForeignSpec } from "./found.ts";

export interface ImportProvenance {
  readonly source: string;
  readonly at: string;
  /** Placeholder for a missing summary. */
  readonly open: string;
}

/** Shorter summaries count as missing. */
const MIN_IMPORTED_SUMMARY = 20;

/** Formats a spec in our form. It is always a draft and adds nothing to its source. */
export function formatImportedSpec(id: WorkflowId, found: ForeignSpec, { source, at, open }: ImportProvenance): string {
  const fields: { [key: string]: PlainYamlNode } = {
    schema_version: 2,
    id,
    type: "feature",
    title: found.title,
    status: "draft",
    summary: found.summary.trim().length < MIN_IMPORTED_SUMMARY ? open : found.summary.trim(),
    ...createListField("user_stories", found.stories.map(createStoryNode)),
    ...createListField("acceptance_criteria", found.criteria.map(createCriterionNode)),
    ...createListField("success_criteria", found.success ?? []),
    ...(found.rest === undefined ? {} : { notes: formatSpecNotes(found) }),
    metadata: { created: at, updated: at },
  };
  return `# Imported from ${sanitizeText(source, 300)}.\n${formatPlainYaml(fields)}`;
}

/** The prefix of its id. The prefixes of bugs and research would change its kind. */
export function chooseSpecPrefix({ title }: Pick<ForeignSpec, "title">): string {
  const prefix = deriveIdPrefix("feature", title);
  return prefix === "BUG" || prefix === "RES" ? "FEAT" : prefix;
}

const createListField = (name: string, list: readonly PlainYamlNode[]): { [key: string]: PlainYamlNode } =>
  list.length === 0 ? {} : { [name]: list };

function createStoryNode(sentence: string, i: number): PlainYamlNode {
  const parts = parseUserStory(createYamlNode(sentence, 1)) as { readonly [key: string]: string };
  return { id: `US-${i + 1}`, ...parts };
}

function createCriterionNode({ story, given, when, outcome, notes }: ForeignCriterion, i: number): PlainYamlNode {
  const said = [
    ["id", `AC-${i + 1}`],
    ["story", story === undefined ? undefined : `US-${story}`],
    ["given", given],
    ["when", when],
    ["then", outcome],
    ["notes", notes],
  ] as const;
  return Object.fromEntries(said.filter(([, text]) => text !== undefined && text !== "")) as {
    [key: string]: PlainYamlNode;
  };
}

const formatSpecNotes = ({ rest = "" }: ForeignSpec): string => rest.replace(/\r\n?/g, "\n");
