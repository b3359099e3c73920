import fs from "node:fs";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { convertYamlValue } from "#kernel/model/yaml-tree.ts";
import { BUILT_IN_PROFILES } from "#checking/model/stack/stack-profile.ts";

/** The built-in stack profiles as JSON, so that no command has to parse YAML for them. */
export function createProfileFile(): Record<string, string> {
  const profiles = BUILT_IN_PROFILES.map((id) => {
    const { tree } = yamlAdapter.read(fs.readFileSync(`assets/stacks/${id}.yaml`, "utf8"));
    return [id, tree && convertYamlValue(tree)];
  });
  return { "assets/stack-profiles.json": `${JSON.stringify(Object.fromEntries(profiles))}\n` };
}
