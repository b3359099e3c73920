import type { Config } from "#kernel/model/workspace-config.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { SettingsStore } from "#kernel/operations/engine.ts";
import type { Store } from "../operations/ports/store.ts";

const MOST_SETTINGS_CHARACTERS = 262_144;

/** The file is read each time, because a person may edit it during a call, and parsed only when its text changed. */
export function createWorkspaceSettings(store: Store): SettingsStore {
  let parsed: { readonly text: string; readonly config: Promise<Config> } | undefined;
  return {
    async load(): Promise<Config> {
      const text = await store.read((tree) => tree.text(CONFIG_PATH));
      if (text === undefined) return (await loadConfigModel()).DEFAULT_CONFIG;
      if (parsed?.text !== text) parsed = { text, config: parseWorkspaceSettings(text) };
      return parsed.config;
    },
  };
}

/** Loaded on demand: commands such as `tenon status` read no settings. */
const loadConfigModel = () => import("#kernel/model/workspace-config.ts");

export async function parseWorkspaceSettings(text: string): Promise<Config> {
  const [{ parseWorkspaceConfig }, value] = await Promise.all([loadConfigModel(), parseSettingsYaml(text)]);
  return parseWorkspaceConfig(value);
}

/** No aliases, custom tags or merge keys: settings need none, and they let a small file expand enormously. */
async function parseSettingsYaml(text: string): Promise<unknown> {
  if (text.length > MOST_SETTINGS_CHARACTERS)
    throw createSettingsFault(`It has ${text.length} characters, and at most ${MOST_SETTINGS_CHARACTERS} are read`);
  const { CORE_SCHEMA, loadAll } = await import("js-yaml");
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    const [message = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw createSettingsFault(sanitizeText(message, 300));
  }
  if (documents.length > 1) throw createSettingsFault("It holds more than one document");
  // Undefined if everything is commented out.
  return documents[0];
}

function createSettingsFault(why: string): Fault {
  return new Fault("config.invalid", {
    what: `${CONFIG_PATH} cannot be used.`,
    why: `${why}.`,
    fix: `Fix ${CONFIG_PATH}; Tenon's docs/guide/configuration.md lists every key.`,
  });
}
