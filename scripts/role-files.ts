import fs from "node:fs";
import { parseRoleAsset } from "#roadmap/model/agent/role-schema.ts";

/** The facts of all roles in one file, so that hooks and the model need neither files nor a schema. */
export function createRoleFiles(): Record<string, string> {
  const roles = fs
    .readdirSync("assets/roles", { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name.replace(/\.md$/, ""))
    .map((role) => ({ role, ...parseRoleAsset(role, fs.readFileSync(`assets/roles/${role}.md`, "utf8")).facts }))
    .toSorted((a, b) => a.order - b.order || (a.role < b.role ? -1 : 1));
  const lines = roles.map(({ role, ...facts }) => `  ${JSON.stringify(role)}: ${JSON.stringify(facts)}`);
  return { "src/roadmap/model/agent/role-facts.json": `{\n${lines.join(",\n")}\n}\n` };
}
