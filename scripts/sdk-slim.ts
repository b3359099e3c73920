import fs from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Lets the bundler drop MCP SDK schemas that a server never uses. The SDK builds all of them on import and keeps them
 * in a registry, which is most of its start time. Behaviour does not change. If a new SDK lacks one of these patterns,
 * the build fails (docs/adr/0004).
 */
export const sdkSlimPlugin: Plugin = {
  name: "sdk-slim",
  setup(build) {
    const seen = new Set<string>();
    // Messages are English, and the other languages are a third of the bundle.
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes("/zod/")
        ? { path: join(dirname(importer), "../locales/en.js"), sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /@modelcontextprotocol\/core\/dist\/(?:schemas|auth)-[^/]*\.mjs$/ }, ({ path }) => {
      seen.add("core");
      return { contents: markSchemasPure(fs.readFileSync(path, "utf8")), loader: "js" };
    });
    build.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/src-[^/]*\.mjs$/ }, ({ path }) => {
      seen.add("server");
      return { contents: dropSchemaRegistry(fs.readFileSync(path, "utf8")), loader: "js" };
    });
    build.onEnd(() => {
      if (seen.size !== 2) throw new Error("The MCP SDK is laid out differently: fix scripts/sdk-slim.ts.");
    });
  },
};

/** Building a schema has no side effect, so unused ones can be dropped. */
function markSchemasPure(code: string): string {
  return replaceSdkPattern(
    code,
    /^const (\w+Schema) = ([\s\S]*?);\n(?=[\w/]|\n)/gm,
    "const $1 = /* @__PURE__ */ (() => $2)();\n",
    10,
  );
}

/** `specTypeSchemas` and `isSpecType` check messages by name, which this server does not do. */
function dropSchemaRegistry(code: string): string {
  const withoutSpec = replaceSdkPattern(code, /^for \(const key of SPEC_SCHEMA_KEYS\) register\(.*\);\n/m, "", 1);
  return replaceSdkPattern(
    withoutSpec,
    /^for \(const \[key, schema\] of Object\.entries\(authSchemas\)\) register\(.*\);\n/m,
    "",
    1,
  );
}

function replaceSdkPattern(code: string, pattern: RegExp, replacement: string, atLeast: number): string {
  const found = code.match(pattern)?.length ?? 0;
  if (found < atLeast) throw new Error(`The MCP SDK no longer has ${pattern}: fix scripts/sdk-slim.ts.`);
  return code.replace(pattern, replacement);
}
