import * as z from "zod";
import { DIMENSION_NAMES, VERDICTS } from "#domain/project/vocabulary.ts";
import { MODES, WRITTEN_STAGES } from "#domain/project/flow.ts";
import { DOCUMENTS } from "#domain/workspace/path.ts";
import { LOWEST_NAMING } from "../fit.ts";
import { ceiling, detailLevel, DOCUMENT, SENTENCE, text, TITLE } from "../text.ts";

const part = (description: string) => text(DOCUMENT, description);

export const ProjectInit = z.strictObject({
  name: text(TITLE, "The project's name"),
  description: text(SENTENCE, "In a sentence"),
  mode: z.enum(MODES).optional().describe("guided (default): documents explain themselves, clarity 70; expert: 50"),
});

export const ProjectPropose = z.strictObject({
  problem_statement: part("What hurts, whom, how often"),
  target_users: part("Groups by role and need"),
  proposed_solution: part("What it will do"),
  out_of_scope: part("What it will not do"),
  success_criteria: part("How to tell it worked"),
  open_questions: part("What is not known yet").optional(),
});

export const ProjectSpecify = z.strictObject({
  must_have: part("One requirement an item; given ids are kept"),
  should_have: part("As must_have"),
  non_functional: part("Qualities with numbers, one an item"),
  could_have: part("As must_have").optional(),
  wont_have: part("Given up, with their ids").optional(),
  constraints: part("Limits on the solution").optional(),
  assumptions: part("Taken as true").optional(),
  dependencies: part("On others").optional(),
});

export const ProjectRules = z.strictObject({
  definitions: part("- **Term**: meaning, one an item"),
  facts: part("Relations between terms"),
  constraints: part("When … Then … [Otherwise …], one an item"),
  derivations: part("What follows from them").optional(),
  glossary: part("More terms").optional(),
});

const Claim = z.strictObject({
  dimension: z.enum(DIMENSION_NAMES),
  score: z.int().min(0).max(100),
  evidence: text(SENTENCE, "Quoted from a document or answer").optional(),
  waiver: text(SENTENCE, "Why it may stay unclear").optional(),
});

export const ProjectClarify = z.strictObject({
  dimension_scores: z.array(Claim).max(DIMENSION_NAMES.length).optional().describe("Left out: as before"),
  answers: part("Questions and the user's answers").optional(),
});

export const ProjectDesign = z.strictObject({
  architecture_overview: part("Parts and boundaries"),
  tech_stack: part("What, and why"),
  components: part("### Name each, with the ids it carries"),
  data_model: part("What is kept"),
  api_contracts: part("What others call").optional(),
  infrastructure: part("Where it runs").optional(),
  security: part("Who may do what").optional(),
  quality_analysis: part("Coupling, smells").optional(),
});

export const ProjectTasks = z.strictObject({
  tasks: part("### TASK-001: … each, with the ids it covers and Depends on: TASK-…"),
  estimated_effort: text(SENTENCE, "In all"),
  acceptance_criteria: part("When all is done").optional(),
  total_tasks: z.int().min(1).max(10_000).optional().describe("Checked against the tasks"),
});

export const ProjectValidate = z.strictObject({
  verdict: z.enum(VERDICTS),
  consistency_issues: part("Contradictions, or that there are none"),
  risk_assessment: part("What may go wrong").optional(),
  recommendations: part("What to do next").optional(),
  design_quality: part("What its structure shows").optional(),
  override_reason: text(SENTENCE, "Why a milder verdict holds").optional(),
});

export const ProjectReopen = z.strictObject({
  stage: z.enum(WRITTEN_STAGES).describe("What follows it goes stale"),
  reason: text(SENTENCE, "Why"),
});

const PARTS = [...new Set([...WRITTEN_STAGES, ...Object.values(DOCUMENTS)])];

export const ProjectQuery = z.strictObject({
  stage: z.enum(PARTS).optional().describe("Gives this document whole"),
  detail_level: detailLevel("summary"),
  max_tokens: ceiling(LOWEST_NAMING),
});

const Stage = z.object({ name: z.string(), status: z.string(), stale_because: z.string().optional() });
const Problem = z.object({ problem: z.string(), line: z.int().optional() });
const Next = z.object({ stage: z.string(), guide: z.string() });

export const ProjectView = z.object({
  name: z.string(),
  description: z.string(),
  mode: z.string(),
  status: z.string(),
  current_stage: z.string(),
  stages: z.array(Stage),
  clarity: z.int().optional(),
  rev: z.int(),
});

export const ProjectBegun = z.object({
  project: ProjectView,
  created: z.array(z.string()),
  existing: z.array(z.string()),
  next: Next,
});

export const StageEnded = z.object({
  passed: z.boolean(),
  problems: z.array(Problem),
  project: ProjectView,
  document: z.string().optional(),
  items: z.array(z.object({ id: z.string(), text: z.string() })).optional(),
  waves: z.array(z.array(z.string())).optional(),
  next: Next.optional(),
});

const Dimension = z.object({
  dimension: z.string(),
  weight: z.int(),
  asks: z.string(),
  score: z.int(),
  counted: z.int(),
  found_in: z.string().optional(),
  waiver: z.string().optional(),
});

export const ProjectClarified = StageEnded.omit({ items: true, waves: true }).extend({
  /** True if the call only asked for the current state. */
  question: z.boolean(),
  score: z.int(),
  threshold: z.int(),
  round: z.int(),
  dimensions: z.array(Dimension),
});

const Finding = z.object({ finding: z.string(), stage: z.string() });

export const ProjectValidated = StageEnded.omit({ items: true, waves: true }).extend({
  verdict: z.string(),
  facts: z.string(),
  override: z.string().optional(),
  coverage: z.array(z.object({ id: z.string(), components: z.array(z.string()), tasks: z.array(z.string()) })),
  failures: z.array(Finding),
  warnings: z.array(Finding),
  reopen: z.array(z.string()),
});

export const ProjectReopened = z.object({ project: ProjectView, stale: z.array(z.string()), next: Next });

export const ProjectContext = z.object({
  project: ProjectView.pick({ name: true, mode: true, status: true, current_stage: true, clarity: true }).optional(),
  stages: z.array(Stage),
  documents: z.array(
    z.object({ stage: z.string(), path: z.string(), bytes: z.int(), lines: z.int(), text: z.string().optional() }),
  ),
  changes: z.array(z.object({ id: z.string(), status: z.string(), description: z.string() })),
  omitted: z.int(),
});
