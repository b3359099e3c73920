import { Fault } from "#domain/fault.ts";
import { isSourceFile, isTestFile } from "#domain/scan/test-files.ts";
import type { FolderStack } from "#domain/stack/check.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import { refreshCodeIndex, type IndexEngine } from "../../indexing/up-to-date.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import type { LookedAt } from "./criteria.ts";

export interface Naming {
  readonly spec: string;
  readonly stacks: readonly FolderStack[];
  readonly namesIn: TestNameReader;
  /** Files that were looked at already. */
  readonly seen: readonly LookedAt[];
  /** Whether these are enough, so that nobody has to look further. */
  readonly isEnough: (files: readonly LookedAt[]) => boolean;
}

/** Bytes. What is larger was not written by hand. */
const LARGEST = 1_048_576;

/**
 * Files anywhere in the repository whose tests name the spec. The index says where to look first; it is a file that
 * whoever has to pass the gate can write, so each file is looked at again, and where it names too few, all are.
 */
export async function filesNaming(engine: IndexEngine, naming: Naming): Promise<LookedAt[]> {
  const { stacks, seen, isEnough } = naming;
  const found = [...seen];
  const looked = new Set(seen.map(({ path }) => path));
  const isCode = (path: string): boolean => isTestFile(path, stacks) || isSourceFile(path, stacks);
  for (const paths of [likely, everywhere]) {
    if (isEnough(found)) break;
    for (const path of await paths(engine, naming)) {
      throwIfCancelled(engine.progress);
      if (looked.has(path) || !isCode(path)) continue;
      const text = await engine.source.text(path, LARGEST);
      if (text === undefined || !mayName(text, naming.spec)) continue;
      looked.add(path);
      const look = await engine.syntax.look(path, text);
      if (look) found.push({ path, look });
    }
  }
  return found;
}

/** What the index knows of; nothing where there is none that can be used. */
async function likely(engine: IndexEngine, { spec, namesIn }: Naming): Promise<string[]> {
  try {
    // Whoever waits for a gate need not hear that there was no index.
    const { index } = await refreshCodeIndex({ ...engine, notice: () => undefined });
    const tagged = (await index.tags({ spec })).map(({ path }) => path);
    const named = (await index.tests()).filter(({ name }) => namesIn(name).some((said) => said.spec === spec));
    return [...new Set([...tagged, ...named.map(({ path }) => path)])];
  } catch (error) {
    if (error instanceof Fault && error.code !== "call.cancelled") return [];
    throw error;
  }
}

const everywhere = async ({ source }: IndexEngine): Promise<string[]> => (await source.files()).map(({ path }) => path);

/** `AUTH-001`, `auth_001`, `Auth001`: whatever a tag or the name of a test may be. */
function mayName(text: string, spec: string): boolean {
  const [prefix = "", number = ""] = spec.split("-");
  return new RegExp(`${prefix.split("").join("_?")}[-_]?${number}`, "i").test(text);
}
