import * as z from "zod";
import { KNOWLEDGE_CATEGORIES, KNOWLEDGE_PHASES, KNOWLEDGE_TYPES } from "../../model/knowledge/lesson.ts";
import { MAX_NAME, createTextField } from "#kernel/operations/text-fields.ts";

const KNOWLEDGE_TEXT_LIMIT = 20_000;
const KNOWLEDGE_ACTION_NAMES = ["list", "show", "add", "review", "skills"] as const;
const LESSON_ANSWERS = ["accept", "edit", "discard", "reject"] as const;

export const ManageKnowledgeInputSchema = z.strictObject({
  action: z.enum(KNOWLEDGE_ACTION_NAMES).optional().describe("Default list"),
  name: createTextField(MAX_NAME, "File, lesson or skill").optional(),
  answer: z.enum(LESSON_ANSWERS).optional(),
  type: z.enum(KNOWLEDGE_TYPES).optional(),
  category: z.enum(KNOWLEDGE_CATEGORIES).optional(),
  text: createTextField(KNOWLEDGE_TEXT_LIMIT, "What was learned").optional(),
  why: createTextField(KNOWLEDGE_TEXT_LIMIT, "Its cause, when it applies, or its source").optional(),
  phases: z.array(z.enum(KNOWLEDGE_PHASES)).optional().describe("Where it helps"),
});

const SkillCandidateSchema = z.object({
  name: z.string(),
  text: z.string(),
  features: z.array(z.string()),
  occurrences: z.int(),
  file: z.string(),
});

export const ManageKnowledgeOutputSchema = z.object({
  action: z.enum(KNOWLEDGE_ACTION_NAMES),
  written: z.array(z.string()),
  done: z.string().optional(),
  entries: z.array(
    z.object({
      file: z.string(),
      type: z.enum(KNOWLEDGE_TYPES),
      category: z.enum(KNOWLEDGE_CATEGORIES),
      title: z.string(),
      phases: z.array(z.string()),
      sources: z.int(),
    }),
  ),
  waiting: z.array(
    z.object({
      id: z.string(),
      type: z.enum(KNOWLEDGE_TYPES),
      category: z.enum(KNOWLEDGE_CATEGORIES),
      text: z.string(),
      sources: z.array(z.string()),
    }),
  ),
  candidates: z.array(SkillCandidateSchema),
  text: z.string().optional(),
  notes: z.array(z.string()),
});

export const ApproveSkillInputSchema = z.strictObject({
  candidate: createTextField(MAX_NAME, "As `tenon knowledge skills` names it"),
  name: createTextField(MAX_NAME, "Another name for the skill").optional(),
  description: createTextField(1_024, "When an agent is to use it; default: what the pattern says").optional(),
});

export const ApproveSkillOutputSchema = z.object({ name: z.string(), written: z.array(z.string()), text: z.string() });
