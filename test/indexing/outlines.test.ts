import fs from "node:fs";
import { expect, test } from "vitest";
import type { CodeOutline } from "#code/model/index/code-outline.ts";
import { syntax } from "../scan/code-scans.ts";

const FOLDER = "test/fixtures/outlines";

const files = fs
  .readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.\w+$/.test(path) && !path.endsWith(".outline"));

/** All that an outline says of a file, for reading; the hashes are tried by what may change them and what may not. */
function formatOutline({ language, isWhole, lines, doc, components, imports, tags, tests }: CodeOutline): string {
  const all = [
    `${language}, ${lines} lines${isWhole ? "" : ", in part"}: ${JSON.stringify(doc)}`,
    ...imports.map(({ specifier, names, line }) => `${line} import ${[specifier, ...names].join(" ")}`),
    ...components.map((each) => {
      const ref = each.within === "" ? each.name : `${each.within}.${each.name}`;
      return [
        `${each.line}-${each.lastLine} ${each.isExported ? "exported " : ""}${each.kind} ${ref}`,
        `  ${each.signature}`,
        ...(each.doc === "" ? [] : [`  doc: ${JSON.stringify(each.doc)}`]),
        ...(each.calls.length === 0 ? [] : [`  calls: ${each.calls.join(" ")}`]),
      ].join("\n");
    }),
    ...tags.map(({ spec, criterion, line }) => `${line} tag ${[spec, criterion].join(" ").trim()}`),
    ...tests.map(({ name, line, lastLine }) => `${line}-${lastLine} test ${name}`),
  ];
  return `${all.join("\n")}\n`;
}

test.each(files)("outlines %s exactly", async (path) => {
  const text = fs.readFileSync(`${FOLDER}/${path}`, "utf8");
  const outline = await syntax.outline(path, text);
  if (outline === undefined) throw new Error(`${path} is no code.`);
  // `UPDATE=1` writes what is found: read the difference before it is kept.
  const expected = `${FOLDER}/${path}.outline`;
  if (process.env["UPDATE"] === "1") fs.writeFileSync(expected, formatOutline(outline));
  expect(formatOutline(outline)).toBe(fs.readFileSync(expected, "utf8"));
  for (const { start, end, line, lastLine, hash } of outline.components)
    expect({ line, lastLine, hash }).toEqual({
      line: text.slice(0, start).split("\n").length,
      lastLine: text.slice(0, Math.max(start, end - 1)).split("\n").length,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
});
