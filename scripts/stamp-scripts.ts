import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";

/** For an `import` of the file, which never happens. */
const EXPORT_ANNOTATION = /0&&\(module\.exports=\{[\w$,]*\}\);\s*$/;

/** It hides the loader's from the imports of its function, which are calls of `require`. */
const OWN_REQUIRE = /\b(?:var|let|const|function|class) require\b|,require=/;

/**
 * Makes each script a function for `bin/tenon.js` to call, after a hash of its text, by which that program finds the
 * compiled code. The loader reads one byte per character, so others are escaped. esbuild has done that everywhere but
 * in regular expressions.
 */
export function stampScripts(folder: string): void {
  for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".cjs"))) {
    const text = fs
      .readFileSync(join(folder, name), "utf8")
      .replace(EXPORT_ANNOTATION, "")
      .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (OWN_REQUIRE.test(text)) throw new Error(`${name} declares a require of its own: rename it in a build plugin.`);
    const script = `(function (exports, require, module, __filename, __dirname) {${text}})`;
    const hash = createHash("sha256").update(script).digest("hex").slice(0, 32);
    fs.writeFileSync(join(folder, name), `/*${hash}*/${script}`);
  }
}
