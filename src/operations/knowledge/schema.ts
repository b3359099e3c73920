import * as z from "zod";
import { CATEGORIES } from "#domain/knowledge/category.ts";
import { KNOWLEDGE_PHASES, KNOWLEDGE_TYPES } from "#domain/knowledge/tag.ts";
import { MAX_NAME, createTextField } from "../text.ts";

const PAGE = 20_000;
const ACTIONS = ["list", "show", "add", "review", "skills"] as const;
const ANSWERS = ["accept", "edit", "discard", "reject"] as const;

export const Manage = z.strictObject({
  action: z.enum(ACTIONS).optional().describe("Default list"),
  name: createTextField(MAX_NAME, "File, lesson or skill").optional(),
  answer: z.enum(ANSWERS).optional(),
  type: z.enum(KNOWLEDGE_TYPES).optional(),
  category: z.enum(CATEGORIES).optional(),
  text: createTextField(PAGE, "What was learned").optional(),
  why: createTextField(PAGE, "Its cause, when it applies, or its source").optional(),
  phases: z.array(z.enum(KNOWLEDGE_PHASES)).optional().describe("Where it helps"),
});

const Candidate = z.object({
  name: z.string(),
  text: z.string(),
  features: z.array(z.string()),
  occurrences: z.int(),
  file: z.string(),
});

export const Managed = z.object({
  action: z.enum(ACTIONS),
  written: z.array(z.string()),
  done: z.string().optional(),
  entries: z.array(
    z.object({
      file: z.string(),
      type: z.enum(KNOWLEDGE_TYPES),
      category: z.enum(CATEGORIES),
      title: z.string(),
      phases: z.array(z.string()),
      sources: z.int(),
    }),
  ),
  waiting: z.array(
    z.object({
      id: z.string(),
      type: z.enum(KNOWLEDGE_TYPES),
      category: z.enum(CATEGORIES),
      text: z.string(),
      sources: z.array(z.string()),
    }),
  ),
  candidates: z.array(Candidate),
  text: z.string().optional(),
  notes: z.array(z.string()),
});

export const Approve = z.strictObject({
  candidate: createTextField(MAX_NAME, "As `tenon knowledge skills` names it"),
  name: createTextField(MAX_NAME, "Another name for the skill").optional(),
  description: createTextField(1_024, "When an agent is to use it; default: what the pattern says").optional(),
});

export const Approved = z.object({
  name: z.string(),
  written: z.array(z.string()),
  text: z.string(),
});
