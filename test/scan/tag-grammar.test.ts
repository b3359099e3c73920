import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTagName, type TagTarget, formatTagComment, findSpecTags } from "#code/model/scan/spec-tags.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { syntax } from "./code-scans.ts";

const letters = (pattern: RegExp) => fc.stringMatching(pattern);
const prefix = letters(/^[A-Z][A-Z0-9]{0,5}$/);
const digits = letters(/^[0-9]{3,5}$/);
const id = fc.tuple(prefix, digits).map(([name, number]) => `${name}-${number}`);
const spec: fc.Arbitrary<TagTarget> = fc
  .tuple(id, fc.option(fc.integer({ min: 0, max: 9999 }), { nil: undefined }))
  .map(([name, n]) => ({ spec: name, ...(n === undefined ? {} : { criterion: `AC-${n}` }) }));
const feature: fc.Arbitrary<TagTarget> = fc
  .tuple(letters(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,6}){0,2}$/), fc.nat(99), fc.nat(99))
  .map(([name, story, n]) => ({ spec: name, criterion: `S${story}.AC${n}` }));
const said = fc.oneof(spec, feature);

/** A file of which only one comment is known. */
const commented = (text: string): CodeScan => ({
  language: "typescript",
  by: "comments",
  isWhole: true,
  comments: [{ start: 0, end: text.length, line: 1, lastLine: text.split("\n").length, text }],
  calls: [],
  definitions: [],
  signs: [],
});
const listNames = (text: string): string[] => findSpecTags(commented(text)).map(formatTagName);

test("reads back any tag of a comment", () => {
  fc.assert(
    fc.property(said, (tag) => {
      expect(listNames(`// ${formatTagComment(tag)}`)).toEqual([formatTagName(tag)]);
    }),
  );
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 6 }), (tags) => {
      expect(listNames(`/* ${tags.map(formatTagComment).join(" ")} */`)).toEqual(tags.map(formatTagName));
    }),
  );
});

test("does not find an id within a longer one", () => {
  const longer = fc.oneof(letters(/^[0-9]$/), letters(/^[A-Za-z_]$/), letters(/^-[A-Za-z0-9_]$/));
  fc.assert(
    fc.property(id, longer, (name, more) => {
      expect(listNames(`// @spec ${name}${more}`)).not.toContain(name);
    }),
  );
  fc.assert(
    fc.property(id, letters(/^[A-Z0-9a-z_]$/), (name, before) => {
      expect(listNames(`// @spec ${before}${name}`)).not.toContain(name);
    }),
  );
  fc.assert(
    fc.property(feature, letters(/^([A-Za-z0-9_]|-[a-z0-9])$/), (tag, more) => {
      expect(listNames(`// AC: ${formatTagName(tag)}${more}`)).not.toContain(formatTagName(tag));
    }),
  );
});

test("finds a tag in any layout", () => {
  const space = letters(/^[ \t\u00a0]{1,4}$/);
  const nothing = letters(/^[ \t]{0,4}$/);
  const lines = letters(/^(\r?\n[ \t]{0,3}\* ?){0,3}$/);
  const words = letters(/^[a-z ,.;()]{0,20}$/);
  fc.assert(
    fc.property(spec, space, nothing, lines, words, words, (tag, gap, none, break_, before, after) => {
      const [name, criterion] = [tag.spec, tag.criterion];
      const dotted = criterion === undefined ? name : `${name}${none}.${none}${criterion}`;
      const text = `/**${break_}${before.replace(/and/g, "")} @spec${gap}${dotted} ;${after}${break_}\n */`;
      expect(findSpecTags(commented(text))).toEqual([
        { ...tag, line: 1 + (break_.match(/\n/g)?.length ?? 0), by: "tag" },
      ]);
    }),
  );
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 4 }), space, lines, (tags, gap, break_) => {
      const [first, ...rest] = [{ spec: "login", criterion: "S1.AC1" }, ...tags];
      const joint = break_.includes("\n") ? `,${gap}\n * ` : `${gap}and${gap}`;
      expect(listNames(`/* AC:${gap}${[first, ...rest].map(formatTagName).join(joint)} */`)).toEqual(
        [first, ...rest].map(formatTagName),
      );
    }),
  );
});

/** Code of a language with one place for a comment and one for a string. */
const CODE: Readonly<Record<string, (comment: string, string: string) => string>> = {
  "a.ts": (c, s) => `/** ${c} */\nexport function f(): string {\n  return "// ${s}" + \`\n/* ${s} */\`;\n}\n`,
  "a.tsx": (c, s) => `export const A = () => <p title="${s}">{/* ${c} */}// ${s}</p>;\n`,
  "a.js": (c, s) => `const a = '/* ${s} */'; // ${c}\n`,
  "a.py": (c, s) => `def f():\n    """Does. ${c}"""\n    return "# ${s}" + """\n    # ${s}\n    """\n`,
  "a.go": (c, s) => `package a\n\n// ${c}\nfunc f() string { return "// ${s}" + \`\n// ${s}\` }\n`,
  "a.rs": (c, s) => `/// ${c}\nfn f() -> &'static str { let _ = r#"// ${s}"#; "/* ${s} */" }\n`,
  "A.java": (c, s) => `/** ${c} */\nclass A { String s = "// ${s}"; }\n`,
  "A.cs": (c, s) => `/// ${c}\nclass A { string s = "// ${s}"; }\n`,
  "a.c": (c, s) => `/* ${c} */\nconst char *s = "// ${s}";\n`,
  "a.cpp": (c, s) => `// ${c}\nconst char *s = "/* ${s} */";\n`,
  "a.rb": (c, s) => `# ${c}\ndef f\n  '# ${s}' + "# ${s}"\nend\n`,
  "a.php": (c, s) => `<?php\n/** ${c} */\nfunction f() { return "// ${s}" . '# ${s}'; }\n`,
  "a.sh": (c, s) => `# ${c}\necho "# ${s}" '# ${s}'\n`,
  "a.css": (c, s) => `/* ${c} */ a::before { content: "/* ${s} */"; }\n`,
};

test.each(Object.keys(CODE))("reads tags in comments of %s, and none in strings", async (path) => {
  await fc.assert(
    fc.asyncProperty(said, said, async (one, other) => {
      const text = CODE[path]?.(formatTagComment(one), formatTagComment(other)) ?? "";
      const outline = await syntax.outline(path, text);
      expect(outline?.tags.map(formatTagName)).toEqual([formatTagName(one)]);
    }),
    { numRuns: 20 },
  );
});
