import { Fault } from "#kernel/model/fault.ts";
import {
  AGENTS_FOLDER,
  CLAUDE_FOLDER,
  getKnowledgePath,
  getSkillPath,
  joinFolderPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { setSkillDecision } from "../../model/knowledge/knowledge-document.ts";
import { formatSkillFile, parseSkillName } from "../../model/knowledge/lesson-buffer.ts";
import type { RoadmapEngine } from "../engine.ts";
import { chooseSkillCandidate } from "./knowledge-actions.ts";
import { commitKnowledge } from "./knowledge-folder.ts";

/** Only the user may call it: an agent that could approve a skill would write the instructions of later sessions. */
export const approveSkill = defineOperation({
  id: "knowledge.approve",
  effect: "append",
  input: async () => (await import("./schema.ts")).ApproveSkillInputSchema,
  output: async () => (await import("./schema.ts")).ApproveSkillOutputSchema,
  async run(engine: RoadmapEngine, said) {
    const { description, ...input } = await new TextCleaner(engine).all(said);
    const template = await engine.assets.text("templates/knowledge/skill");
    return commitKnowledge(engine, (draft, tree) => {
      const { file, gone, ...candidate } = chooseSkillCandidate(tree, engine, draft, input.candidate);
      const name = parseSkillName(input.name?.trim() ?? candidate.name);
      const known = draft.shelf.known.find((each) => each.file === file);
      if (!known) throw new RangeError(`${file} is no knowledge.`);
      const path = getKnowledgePath(file);
      const text = formatSkillFile(template, known, draft.text(file), { name, description, path });
      const skills = listSkillFolders(tree).map((client) => requireFreeSkillPath(tree, client, name, candidate.name));
      draft.edit(file, setSkillDecision(draft.text(file), `approved as ${name}`));
      return {
        gone,
        steps: skills.map((skill) => ({ kind: "document", path: skill, text }) as const),
        occurrences: [...draft.occurrences(), { kind: "knowledge.skill-approved", subject: name, data: { file } }],
        result: { name, written: [...skills, ...draft.written().map(getKnowledgePath)], text },
      };
    });
  },
  page: ({ name, written, text }) => ({
    title: `The skill ${name} is there: ${written[0]}.`,
    quotes: [{ label: "What it says", text: text.trimEnd() }],
    points: written.slice(1).map((path) => `${path} says so.`),
    next: ["Read it and edit it as you like: Tenon does not write it again."],
  }),
});

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
