import * as z from "zod";
import {
  CLARITY_DIMENSION_NAMES,
  PROJECT_VERDICTS,
  PROJECT_MODES,
  PROJECT_DOCUMENT_STAGES,
} from "#kernel/model/stages/project-stages.ts";
import { STAGE_DOCUMENTS } from "#kernel/model/workspace-paths.ts";
import { ProjectView } from "../../model/project/project-record.ts";
import { OpenQuestionOutput } from "../approval/schema.ts";
import { NextStage, StageVerdict } from "../schema.ts";
import { MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

const documentPart = (description: string) => fields.createTextField(fields.MAX_DOCUMENT, description);

export const ProjectInit = z.strictObject({
  name: fields.createTextField(fields.MAX_TITLE, "The project's name"),
  description: fields.createTextField(fields.MAX_SENTENCE, "In a sentence"),
  mode: z.enum(PROJECT_MODES).optional().describe("guided (default): clarity 70; expert: 50"),
});

export const ProjectPropose = z.strictObject({
  problem_statement: documentPart("Which problem, for whom, how often"),
  target_users: documentPart("Groups by role and need"),
  proposed_solution: documentPart("What it will do"),
  out_of_scope: documentPart("What it will not do"),
  success_criteria: documentPart("How to tell it worked"),
  open_questions: documentPart("What is not known yet").optional(),
});

export const ProjectSpecify = z.strictObject({
  must_have: documentPart("One requirement per item; given ids stay"),
  should_have: documentPart("As must_have"),
  non_functional: documentPart("Qualities with numbers, one per item"),
  could_have: documentPart("As must_have").optional(),
  wont_have: documentPart("Given up, with their ids").optional(),
  constraints: documentPart("Limits on the solution").optional(),
  assumptions: documentPart("Assumed to be true").optional(),
  dependencies: documentPart("On others").optional(),
});

export const ProjectRules = z.strictObject({
  definitions: documentPart("- **Term**: meaning, one per item"),
  facts: documentPart("Relations between terms"),
  constraints: documentPart("When … Then … [Otherwise …], one per item"),
  derivations: documentPart("What follows from them").optional(),
  glossary: documentPart("More terms").optional(),
});

const ClarityClaimInput = z.strictObject({
  dimension: z.enum(CLARITY_DIMENSION_NAMES),
  score: z.int().min(0).max(100),
  evidence: fields.createTextField(fields.MAX_SENTENCE, "Quoted from a document or answer").optional(),
  waiver: fields.createTextField(fields.MAX_SENTENCE, "Why it may stay unclear").optional(),
});

export const ProjectClarify = z.strictObject({
  dimension_scores: z
    .array(ClarityClaimInput)
    .max(CLARITY_DIMENSION_NAMES.length)
    .optional()
    .describe("Default: unchanged"),
  answers: documentPart("Questions and the user's answers").optional(),
});

export const ProjectDesign = z.strictObject({
  architecture_overview: documentPart("Parts and boundaries"),
  tech_stack: documentPart("What, and why"),
  components: documentPart("### Name for each, with its ids"),
  data_model: documentPart("What is stored"),
  api_contracts: documentPart("What others call").optional(),
  infrastructure: documentPart("Where it runs").optional(),
  security: documentPart("Who may do what").optional(),
  quality_analysis: documentPart("Coupling, smells").optional(),
});

export const ProjectTasks = z.strictObject({
  tasks: documentPart("### TASK-001: … for each, with its ids and Depends on: TASK-…"),
  estimated_effort: fields.createTextField(fields.MAX_SENTENCE, "In all"),
  acceptance_criteria: documentPart("When all is done").optional(),
  total_tasks: z.int().min(1).max(10_000).optional().describe("Checked against the tasks"),
});

export const ProjectValidate = z.strictObject({
  verdict: z.enum(PROJECT_VERDICTS),
  consistency_issues: documentPart("Contradictions, or none"),
  risk_assessment: documentPart("What may go wrong").optional(),
  recommendations: documentPart("What to do next").optional(),
  design_quality: documentPart("What its structure shows").optional(),
  override_reason: fields.createTextField(fields.MAX_SENTENCE, "Why a milder verdict applies").optional(),
});

export const ProjectReopen = z.strictObject({
  stage: z.enum(PROJECT_DOCUMENT_STAGES).describe("Later stages go stale"),
  reason: fields.createTextField(fields.MAX_SENTENCE),
});

const DOCUMENT_SELECTORS = [...new Set([...PROJECT_DOCUMENT_STAGES, ...Object.values(STAGE_DOCUMENTS)])];

export const ProjectQuery = z.strictObject({
  stage: z.enum(DOCUMENT_SELECTORS).optional().describe("Full text of this document"),
  detail_level: fields.createDetailField("summary"),
  max_tokens: fields.createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const ProjectBegun = z.object({
  project: ProjectView,
  created: z.array(z.string()),
  existing: z.array(z.string()),
  next: NextStage,
});

const ProjectVerdict = StageVerdict.extend({ project: ProjectView, document: z.string().optional() });

export const StageEnded = ProjectVerdict.extend({
  items: z.array(z.object({ id: z.string(), text: z.string() })).optional(),
  waves: z.array(z.array(z.string())).optional(),
  /** Must-haves that the document leaves out. Validation would fail on them. */
  notes: z.array(z.string()).optional(),
});

export const ProjectClarified = ProjectVerdict.extend({
  user_question: OpenQuestionOutput.optional(),
  /** True if the call only asked for the current state. */
  question: z.boolean(),
  score: z.int(),
  threshold: z.int(),
  round: z.int(),
  dimensions: z.array(
    z.object({
      dimension: z.string(),
      weight: z.int(),
      asks: z.string(),
      score: z.int(),
      counted: z.int(),
      found_in: z.string().optional(),
      waiver: z.string().optional(),
    }),
  ),
});

const CoverageFindingView = z.object({ finding: z.string(), stage: z.string() });

export const ProjectValidated = ProjectVerdict.extend({
  user_question: OpenQuestionOutput.optional(),
  verdict: z.string(),
  facts: z.string(),
  override: z.string().optional(),
  coverage: z.array(z.object({ id: z.string(), components: z.array(z.string()), tasks: z.array(z.string()) })),
  failures: z.array(CoverageFindingView),
  warnings: z.array(CoverageFindingView),
  reopen: z.array(z.string()),
});

export const ProjectReopened = z.object({ project: ProjectView, stale: z.array(z.string()), next: NextStage });

const { name, mode, status, current_stage, clarity, stages } = ProjectView.shape;

export const ProjectContext = z.object({
  project: z.object({ name, mode, status, current_stage, clarity }).optional(),
  stages,
  documents: z.array(
    z.object({ stage: z.string(), path: z.string(), bytes: z.int(), lines: z.int(), text: z.string().optional() }),
  ),
  changes: z.array(z.object({ id: z.string(), status: z.string(), description: z.string() })),
  omitted: z.int(),
});
