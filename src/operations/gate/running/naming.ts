import { Fault } from "#domain/fault.ts";
import { isSourceFile, isTestFile } from "#domain/scan/test-files.ts";
import type { FolderStack } from "#domain/stack/check.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import { refreshCodeIndex, type IndexEngine } from "../../indexing/up-to-date.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import type { ParsedFile } from "./criteria.ts";

export interface SpecFileSearch {
  readonly spec: string;
  readonly stacks: readonly FolderStack[];
  readonly namesIn: TestNameReader;
  readonly seen: readonly ParsedFile[];
  readonly isEnough: (files: readonly ParsedFile[]) => boolean;
}

/** Bytes. Larger files are not written by hand. */
const MAX_SEARCHED_FILE_BYTES = 1_048_576;

/**
 * Searches the whole repository for tests that name the spec. The index suggests where to start. The author of the work
 * can write to the index, so each file is read again, and if too few match, all files are read.
 */
export async function findSpecFiles(engine: IndexEngine, naming: SpecFileSearch): Promise<ParsedFile[]> {
  const { stacks, seen, isEnough } = naming;
  const found = [...seen];
  const looked = new Set(seen.map(({ path }) => path));
  const isCode = (path: string): boolean => isTestFile(path, stacks) || isSourceFile(path, stacks);
  for (const paths of [listIndexedPaths, listAllPaths]) {
    if (isEnough(found)) break;
    for (const path of await paths(engine, naming)) {
      throwIfCancelled(engine.progress);
      if (looked.has(path) || !isCode(path)) continue;
      const text = await engine.source.text(path, MAX_SEARCHED_FILE_BYTES);
      if (text === undefined || !canNameSpec(text, naming.spec)) continue;
      looked.add(path);
      const look = await engine.syntax.look(path, text);
      if (look) found.push({ path, look });
    }
  }
  return found;
}

async function listIndexedPaths(engine: IndexEngine, { spec, namesIn }: SpecFileSearch): Promise<string[]> {
  try {
    // A missing index is not worth a message during a gate.
    const { index } = await refreshCodeIndex({ ...engine, notice: () => undefined });
    const tagged = (await index.tags({ spec })).map(({ path }) => path);
    const named = (await index.tests()).filter(({ name }) => namesIn(name).some((said) => said.spec === spec));
    return [...new Set([...tagged, ...named.map(({ path }) => path)])];
  } catch (error) {
    if (error instanceof Fault && error.code !== "call.cancelled") return [];
    throw error;
  }
}

const listAllPaths = async ({ source }: IndexEngine): Promise<string[]> =>
  (await source.files()).map(({ path }) => path);

/** Any spelling that a tag or test name may use: `AUTH-001`, `auth_001`, `Auth001`. */
function canNameSpec(text: string, spec: string): boolean {
  const [prefix = "", number = ""] = spec.split("-");
  return new RegExp(`${prefix.split("").join("_?")}[-_]?${number}`, "i").test(text);
}
