import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createTreeSitterSyntax } from "../../adapters/syntax/tree-sitter-syntax.ts";
import type { CodeOutline } from "../index/code-outline.ts";
import { groupCapabilities } from "./capabilities.ts";
import { listPublicSymbols } from "./public-surface.ts";

const syntax = createTreeSitterSyntax(pathToFileURL(`${process.cwd()}/dist/grammars/`));

async function listRefs(files: Readonly<Record<string, string>>) {
  const texts = new Map(Object.entries(files));
  const outlines = new Map<string, CodeOutline>();
  for (const [path, text] of texts) {
    const outline = await syntax.outline(path, text);
    if (outline) outlines.set(path, outline);
  }
  return listPublicSymbols({ outlines, texts });
}

test("follows objects that CommonJS modules export to the class that inherits from them", async () => {
  const symbols = await listRefs({
    "package.json": '{ "main": "lib/app.js" }',
    "lib/app.js":
      'const request = require("./request");\nconst hidden = require("./hidden");\nmodule.exports = class App {\n  constructor() { this.request = Object.create(request); }\n  use() {}\n};\n',
    "lib/request.js": "module.exports = {\n  get header() { return 1; },\n  accepts: function () {},\n};\n",
    "lib/hidden.js": "exports.hidden = function () {};\n",
  });
  expect(symbols.map(({ path, ref }) => `${path}#${ref}`)).toEqual([
    "lib/app.js#App",
    "lib/app.js#App.use",
    "lib/request.js#default.header",
    "lib/request.js#default.accepts",
  ]);
  expect(groupCapabilities(symbols, new Map()).map(({ title }) => title)).not.toContainEqual(
    expect.stringContaining("Default"),
  );
});

test("takes what declarations state if the code builds its objects at run time", async () => {
  const symbols = await listRefs({
    "package.json": '{ "main": "web.js", "types": "web.d.ts" }',
    "web.js": "module.exports = function web() { return { listen() {}, close() {} }; };\n",
    "web.d.ts": 'import { Web } from "./types/web";\nexport declare function web(): Web;\n',
    "types/web.d.ts": "export interface Web {\n  listen(): void;\n  close(): void;\n}\n",
    "types/other.d.ts": "export interface Other {\n  unused(): void;\n}\n",
  });
  const refs = symbols.map(({ path, ref }) => `${path}#${ref}`);
  expect(refs).toContain("types/web.d.ts#Web.listen");
  expect(refs.join(" ")).not.toContain("Other");
});
