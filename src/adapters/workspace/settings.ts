import { type Config, DEFAULT_CONFIG, parseWorkspaceConfig } from "#domain/workspace/config.ts";
import { CONFIG_PATH } from "#domain/workspace/path.ts";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { SettingsStore } from "#operations/engine.ts";
import type { Store } from "#operations/ports/store.ts";

const LIMIT = 262_144;

/** The file is read each time, because a person may edit it during a call, and parsed only when its text changed. */
export function settingsIn(store: Store): SettingsStore {
  let parsed: { readonly text: string; readonly config: Promise<Config> } | undefined;
  return {
    async load(): Promise<Config> {
      const text = await store.read((tree) => tree.text(CONFIG_PATH));
      if (text === undefined) return DEFAULT_CONFIG;
      if (parsed?.text !== text) parsed = { text, config: readSettings(text) };
      return parsed.config;
    },
  };
}

export async function readSettings(text: string): Promise<Config> {
  return parseWorkspaceConfig(await parseYaml(text));
}

/** No aliases, custom tags or merge keys: settings need none, and they let a small file expand enormously. */
async function parseYaml(text: string): Promise<unknown> {
  if (text.length > LIMIT) throw invalid(`It has ${text.length} characters, and at most ${LIMIT} are read`);
  const { CORE_SCHEMA, loadAll } = await import("js-yaml");
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    throw invalid(sanitizeText(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error), 300));
  }
  if (documents.length > 1) throw invalid("It holds more than one document");
  // Undefined if everything is commented out.
  return documents[0];
}

function invalid(why: string): Fault {
  return new Fault("config.invalid", {
    what: `${CONFIG_PATH} cannot be used.`,
    why: `${why}.`,
    fix: `Mend ${CONFIG_PATH}; Tenon's docs/guide/configuration.md lists every key.`,
  });
}
