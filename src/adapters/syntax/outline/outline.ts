import { createHash } from "node:crypto";
import type { Component, Outline } from "#domain/indexing/outline.ts";
import type { Look } from "#domain/scan/look.ts";
import { tagsIn } from "#domain/scan/tags.ts";
import { testCasesIn } from "#domain/scan/test-cases.ts";

/** What the index asks of a file, by what its tree shows. */
export function outlineOf(look: Look, text: string): Outline {
  return {
    language: look.language,
    by: look.by,
    isWhole: look.isWhole,
    lines: text.split("\n").length,
    doc: "",
    components: look.definitions
      .filter(({ text: name }) => name !== "")
      .map((each): Component => ({
        kind: each.kind,
        name: each.text,
        within: "",
        signature: text.slice(each.start, each.end).split("\n")[0]?.trim().slice(0, 300) ?? "",
        doc: "",
        line: each.line,
        lastLine: each.lastLine,
        start: each.start,
        end: each.end,
        isExported: true,
        hash: createHash("sha256").update(text.slice(each.start, each.end)).digest("hex").slice(0, 32),
        calls: look.calls.filter(({ start, end }) => start >= each.start && end <= each.end).map((call) => call.text),
      })),
    imports: [],
    tags: tagsIn(look),
    tests: testCasesIn(look),
  };
}
