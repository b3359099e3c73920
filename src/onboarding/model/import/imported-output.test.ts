import fc from "fast-check";
import { expect, test } from "vitest";
import { formatImportManifest, parseImportManifest, type ImportManifestEntry } from "./imported-output.ts";

const taken = (source: string, to: readonly string[] = ["sdd/a.md"]): ImportManifestEntry => ({
  source,
  sha256: "0",
  at: "2026-01-31",
  to,
});
const asMap = (entries: readonly ImportManifestEntry[]) => new Map(entries.map((entry) => [entry.source, entry]));

test("reads back what it wrote, for any file names", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "binary", minLength: 1 }), { maxLength: 8 }), (names) => {
      const manifest = asMap(names.map((name) => taken(name.toWellFormed())));
      expect(new Map(parseImportManifest(formatImportManifest(manifest)) ?? [])).toEqual(manifest);
    }),
    { numRuns: 30 },
  );
});

test("ignores the order in which files were imported", () => {
  const [one, two] = [taken("a"), taken("b", [])];
  expect(formatImportManifest(asMap([one, two]))).toBe(formatImportManifest(asMap([two, one])));
});

test.each(["", "files: 1\n", "files:\n  - source: 1\n", "nothing", "files: [\n"])("rejects %j", (text) => {
  expect(parseImportManifest(text)).toBe(undefined);
});

test("reports nothing as imported where there are no files", () => {
  expect(parseImportManifest(undefined)).toEqual(new Map());
});
