import fs from "node:fs";
import { join } from "node:path";
import { sealRecord } from "#store/adapters/record-seal.ts";
import { CHANGE_STAGES } from "#kernel/model/stages/change-stages.ts";

const AT = "2026-01-01T00:00:00Z";
const STAGES = ["describe", "context-check", "tasks", "verify"];
const NOUNS = ["search", "upload", "clock", "refund", "token", "invoice", "cart", "mail", "report", "quota"];
const PLACES = ["page", "store", "queue", "parser", "cache", "form", "list", "index", "export", "gateway"];

/** Fills a workspace with archived changes, each with its artifacts, as if somebody had worked in it for years. */
export function archiveMany(root: string, many: number): void {
  for (let i = 0; i < many; i++) {
    const [noun, place] = [NOUNS[i % 10], PLACES[Math.floor(i / 10) % 10]];
    const id = `mend-the-${noun}-${place}-${i}`;
    const folder = join(root, "sdd", "history", id);
    fs.mkdirSync(folder, { recursive: true });
    const record = {
      id,
      type: "fix",
      size: "small",
      description: `Mend the ${noun} ${place}, number ${i}`,
      stages: STAGES.map((name) => ({ name, status: "completed", started_at: AT, completed_at: AT })),
      current_stage: "verify",
      status: "archived",
      adrs: [],
      created_at: AT,
      updated_at: AT,
      schema: 1,
      rev: 6,
    };
    fs.writeFileSync(join(folder, "change.json"), sealRecord(record));
    for (const stage of CHANGE_STAGES.filter((name) => STAGES.includes(name)))
      fs.writeFileSync(join(folder, `${stage}.md`), `## ${stage}\n\n${`The ${noun} of the ${place}. `.repeat(20)}\n`);
  }
}

/** A project of some size: so many requirements and rules, and a design. */
export function specify(root: string, many: number): void {
  const item = (prefix: string, i: number, text: string): string =>
    `- **${prefix}-${String(i + 1).padStart(3, "0")}**: ${text}`;
  const requirements = Array.from({ length: many }, (_, i) =>
    item("FR", i, `When the ${NOUNS[i % 10]} of the ${PLACES[(i >> 3) % 10]} is asked for, the system shall answer.`),
  );
  const rules = Array.from({ length: many }, (_, i) =>
    item("BR", i, `When a ${NOUNS[i % 10]} is late, Then the ${PLACES[i % 10]} is closed.`),
  );
  fs.mkdirSync(join(root, "sdd"), { recursive: true });
  fs.writeFileSync(
    join(root, "sdd", "requirements.md"),
    `# Requirements\n\n## Must have\n\n${requirements.join("\n")}\n`,
  );
  fs.writeFileSync(
    join(root, "sdd", "business-rules.md"),
    `# Business rules\n\n## Definitions\n\n- **Cart**: what is to be bought\n\n## Constraints\n\n${rules.join("\n")}\n`,
  );
}
