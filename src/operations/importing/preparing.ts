import { checkDesign } from "#domain/feature/design.ts";
import type { TaskGroupRecord } from "#domain/feature/record.ts";
import { checkResearchDocument } from "#domain/feature/research.ts";
import { checkTaskPlan, serializeTaskPlan, createTaskStatusEdits } from "#domain/feature/tasks.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type {
  ForeignDocument,
  ForeignFeature,
  ForeignItem,
  ForeignSpec,
  ForeignSpecFile,
} from "#domain/importing/found.ts";
import { formatImportedSpec } from "#domain/importing/spec-text.ts";
import { sanitizeText } from "#domain/quote.ts";
import { checkSpecDocument } from "#domain/spec/yaml/checks.ts";
import { findYamlNode } from "#domain/spec/yaml/located.ts";
import { readSpecTree } from "#domain/spec/yaml/read.ts";
import { parseWorkflowId, type WorkflowId } from "#domain/workflow/id.ts";
import type { Engine } from "../engine.ts";
import { throwIfCancelled } from "../ports/runner.ts";
import type { YamlEditor } from "../ports/yaml.ts";
import { rewriteSpecText } from "../spec/rewrite.ts";
import { SUMMARY_PLACEHOLDER } from "../spec/template.ts";
import type { DetectedLayout } from "./looking.ts";

/** A design with research that is valid in our form, and its tasks if they are valid too. */
interface ValidDesign {
  readonly design: string;
  readonly research: string;
  readonly hash: string;
  readonly files: readonly string[];
  readonly tasks?: { readonly text: string; readonly hash: string; readonly groups: readonly TaskGroupRecord[] };
}

export interface PreparedFeature extends ForeignFeature {
  readonly held?: ValidDesign;
  readonly unheld?: string;
}

export interface PreparedSpecFile extends ForeignSpecFile {
  readonly id: WorkflowId;
  readonly note?: string;
}

export type PreparedItem = Exclude<ForeignItem, ForeignFeature | ForeignSpecFile> | PreparedFeature | PreparedSpecFile;

export async function prepareImportItems(
  engine: Pick<Engine, "yaml" | "digest" | "progress">,
  { found, nameOf, layout }: DetectedLayout,
) {
  const yaml = await engine.yaml();
  const items: PreparedItem[] = [];
  for (const [i, item] of found.items.entries()) {
    throwIfCancelled(engine.progress);
    if (i > 0 && i % 50 === 0) engine.progress.tell(`${layout}: checking`, i, found.items.length);
    items.push(prepareImportItem(yaml, engine, item, nameOf(item.from)));
  }
  return items;
}

function prepareImportItem(
  yaml: YamlEditor,
  engine: Pick<Engine, "digest">,
  item: ForeignItem,
  name: string,
): PreparedItem {
  if (item.kind === "spec") return validateForeignSpec(yaml, item);
  if (item.kind === "spec-file") return convertSpecFile(yaml, item, name);
  if (item.kind === "feature") return { ...item, ...validateFeatureDocuments(yaml, engine, item) };
  return item;
}

const TRIAL_SPEC_ID = parseWorkflowId("FEAT-001");

function validateForeignSpec(yaml: YamlEditor, spec: ForeignSpec): ForeignSpec | ForeignDocument {
  const at = "2026-01-01T00:00:00Z";
  const { tree, problems } = yaml.read(
    formatImportedSpec(TRIAL_SPEC_ID, spec, { source: spec.from, at, open: SUMMARY_PLACEHOLDER }),
  );
  const [problem] = tree ? readSpecTree(tree, TRIAL_SPEC_ID).problems : problems;
  return problem ? { kind: "document", from: spec.from, text: spec.text, why: explainUnfitSpec(problem) } : spec;
}

const explainUnfitSpec = ({ problem }: Problem): string => `it does not fit a spec: ${sanitizeText(problem, 200)}`;

/** Rewrites older YAML forms and drops a status that only a gate can give. */
function convertSpecFile(yaml: YamlEditor, item: ForeignSpecFile, name: string): PreparedSpecFile | ForeignDocument {
  const id = parseWorkflowId(item.id);
  const document = (problem: Problem): ForeignDocument => ({
    kind: "document",
    from: item.from,
    text: item.text,
    why: `${explainUnfitSpec(problem)}${problem.line === undefined ? "" : ` (line ${problem.line})`}`,
  });
  const { tree, problems } = yaml.read(item.text);
  if (!tree) return document(problems[0] ?? { problem: "It says nothing." });
  const reading = readSpecTree(tree, id);
  if (!reading.document) return document(reading.problems[0] ?? { problem: "It cannot be read." });
  const text = rewriteSpecText(yaml, { text: item.text, edits: reading.edits }) ?? item.text;
  const { spec } = reading.document;
  const isWhole = checkSpecDocument(reading.document, "complete", new Set([id])).length === 0;
  const status = spec.status === "draft" || !isWhole ? "draft" : "specified";
  const stated = setSpecStatus(yaml, text, status);
  const [problem] = readSpecTree(yaml.read(stated).tree ?? tree, id).problems;
  if (problem) return document(problem);
  const doubt = spec.status === status ? {} : { note: `its status ${spec.status} is not believed: it is ${status}` };
  return { ...item, id, text: `# Imported from ${sanitizeText(name, 300)}.\n${stated}`, ...doubt };
}

function setSpecStatus(yaml: YamlEditor, text: string, status: string): string {
  const { tree } = yaml.read(text);
  if (!tree || !findYamlNode(tree, ["status"])) return text;
  return yaml.edit(text, [{ kind: "replace", at: ["status"], value: status }]);
}

/** Whether a feature's documents would be accepted from an Architect. */
function validateFeatureDocuments(
  yaml: YamlEditor,
  { digest }: Pick<Engine, "digest">,
  { parts }: ForeignFeature,
): Pick<PreparedFeature, "held" | "unheld"> {
  const textOf = (as: string): string | undefined => parts.find((part) => part.as === as)?.text;
  const [design, research, tasks] = [textOf("design"), textOf("research"), textOf("tasks")];
  if (design === undefined) return parts.length === 0 ? {} : { unheld: "there is no design" };
  const checked = checkDesign(design);
  const [problem] = checked.problems;
  if (problem) return { unheld: `the design is not in our form: ${sanitizeText(problem.problem, 160)}` };
  if (research === undefined) return { unheld: "there is no research.md beside the design" };
  const [other] = checkResearchDocument(research).problems;
  if (other) return { unheld: `the research is not in our form: ${sanitizeText(other.problem, 160)}` };
  const plan = tasks === undefined ? undefined : validateTaskPlan(yaml, digest, tasks, checked);
  return { held: { design, research, hash: digest(design), files: checked.files, ...(plan ? { tasks: plan } : {}) } };
}

function validateTaskPlan(
  yaml: YamlEditor,
  digest: Engine["digest"],
  text: string,
  design: ReturnType<typeof checkDesign>,
): ValidDesign["tasks"] {
  const { tree } = yaml.read(text);
  if (!tree) return undefined;
  const { problems, groups } = checkTaskPlan(tree, design, []);
  if (problems.length > 0 || groups.length === 0) return undefined;
  const pending = groups.map((group) => ({ ...group, status: "pending" as const }));
  const edits = createTaskStatusEdits(
    tree,
    new Map(pending.flatMap(({ tasks, status }) => tasks.map((id) => [id, status]))),
  );
  return { text: yaml.edit(text, edits), hash: digest(serializeTaskPlan(tree)), groups: pending };
}
