import type { RoadmapEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { setSkillDecision } from "../../model/knowledge/knowledge-document.ts";
import { parseSkillName, formatSkillFile } from "../../model/knowledge/lesson-buffer.ts";
import {
  AGENTS_FOLDER,
  CLAUDE_FOLDER,
  joinFolderPath,
  getKnowledgePath,
  type WorkspacePath,
  getSkillPath,
} from "#kernel/model/workspace-paths.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { chooseSkillCandidate } from "./knowledge-actions.ts";
import { loadKnowledgeTemplates } from "./knowledge-folder.ts";
import { planBufferUpdate } from "./collect-lessons.ts";
import type { ApproveSkillInputSchema, ApproveSkillOutputSchema } from "./schema.ts";

type ApproveSkillOutput = z.infer<typeof ApproveSkillOutputSchema>;

/** Only the user may call it: an agent that could approve a skill would write the instructions of later sessions. */
export const approveSkill = defineOperation<z.infer<typeof ApproveSkillInputSchema>, ApproveSkillOutput, RoadmapEngine>(
  {
    id: "knowledge.approve",
    effect: "append",
    input: async () => (await import("./schema.ts")).ApproveSkillInputSchema,
    output: async () => (await import("./schema.ts")).ApproveSkillOutputSchema,
    async run(engine: RoadmapEngine, said) {
      const input = await new TextCleaner(engine).all(said);
      const [templates, template] = [
        await loadKnowledgeTemplates(engine),
        await engine.assets.text("templates/knowledge/skill"),
      ];
      return commitStoreWrite(engine, (tree): StorePlan<ApproveSkillOutput> => {
        const at = engine.clock.now();
        const { draft, file, gone, ...candidate } = chooseSkillCandidate(tree, engine, templates, input.candidate, at);
        const name = parseSkillName(input.name?.trim() ?? candidate.name);
        const known = draft.known(file);
        if (!known) throw new RangeError(`${file} is no knowledge.`);
        const { description } = input;
        const text = formatSkillFile(template, known, draft.text(file), {
          name,
          description,
          path: getKnowledgePath(file),
        });
        const skills = listSkillFolders(tree).map((client): StoreStep => ({
          kind: "document",
          path: requireFreeSkillPath(tree, client, name, candidate.name),
          text,
        }));
        draft.edit(file, setSkillDecision(draft.text(file), `approved as ${name}`));
        const buffer = planBufferUpdate(tree, engine, draft, at, gone);
        const written = skills.flatMap((step) => (step.kind === "document" ? [step.path] : []));
        return {
          steps: [...skills, ...draft.steps(), ...buffer.steps],
          keeps: buffer.keeps,
          occurrences: [...draft.occurrences(), { kind: "knowledge.skill-approved", subject: name, data: { file } }],
          result: { name, written: [...written, ...draft.written().map(getKnowledgePath)], text },
        };
      });
    },
    page: ({ name, written, text }) => ({
      title: `The skill ${name} is there: ${written[0]}.`,
      quotes: [{ label: "What it says", text: text.trimEnd() }],
      points: written.slice(1).map((path) => `${path} says so.`),
      next: ["Read it and edit it as you like: Tenon does not write it again."],
    }),
  },
);

function listSkillFolders(tree: StoreTree): WorkspacePath[] {
  const present = [CLAUDE_FOLDER, AGENTS_FOLDER].filter((client) => tree.names(client).length > 0);
  return present.length > 0 ? present : [AGENTS_FOLDER];
}

function requireFreeSkillPath(tree: StoreTree, client: WorkspacePath, name: string, candidate: string): WorkspacePath {
  const isTaken = tree.names(joinFolderPath(client, "skills")).some((each) => each.toLowerCase() === name);
  if (!isTaken) return getSkillPath(client, name);
  throw new Fault("knowledge.exists", {
    what: "No skill was written.",
    why: `${joinFolderPath(client, `skills/${name}`)} is there already, and is never written over.`,
    fix: { operation: "knowledge.approve", input: { candidate, name: `${name}-2` } },
  });
}
