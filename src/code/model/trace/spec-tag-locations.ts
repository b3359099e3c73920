import type { CodeScan } from "../scan/code-scan.ts";
import { findSpecTags } from "../scan/spec-tags.ts";
import { findTestCases } from "../scan/test-cases.ts";
import { findTestSections, isTestLine } from "../scan/test-files.ts";
import { createTestNameReader } from "./id-mentions.ts";
import { collectTraceLocations, type TraceLocation } from "./trace-locations.ts";
import type { TraceableIds } from "./traceable-ids.ts";

interface TaggedFile {
  readonly path: string;
  readonly isTest: boolean;
  /** Undefined if the file is deleted or its code cannot be parsed. */
  readonly look?: CodeScan | undefined;
}

/** Tags and test names read from the files themselves: any program can write to the index. */
export function locateSpecTags(files: readonly TaggedFile[], known: TraceableIds): TraceLocation[] {
  const namesIn = createTestNameReader(known.ids.keys());
  return files.flatMap(({ path, look, isTest }) => {
    if (!look) return [];
    const parts = findTestSections(look);
    const tags = findSpecTags(look).map((tag) => ({ ...tag, path, isTest: isTest || isTestLine(parts, tag.line) }));
    return collectTraceLocations({ tags, tests: findTestCases(look).map((each) => ({ ...each, path })) }, namesIn);
  });
}
