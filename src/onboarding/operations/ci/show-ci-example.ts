import type { OnboardingEngine } from "../engine.ts";
import type * as z from "zod";
import { CI_EXAMPLES } from "#checking/model/ci/ci-findings.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CiExampleFile, CiExampleQuery } from "./schema.ts";

export const showCiExampleOperation = defineOperation<
  z.infer<typeof CiExampleQuery>,
  z.infer<typeof CiExampleFile>,
  OnboardingEngine
>({
  id: "ci.example",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).CiExampleQuery,
  output: async () => (await import("./schema.ts")).CiExampleFile,
  async run(engine: OnboardingEngine, { for: user }) {
    const template = await engine.assets.text(`ci/${user}`);
    return { path: CI_EXAMPLES[user], text: renderTemplate(template, { version: engine.version }) };
  },
  // A comment and the file, so that the output can be saved as it is.
  page: ({ path, text }) => ({ title: `# ${path}`, guide: text.trimEnd() }),
});
