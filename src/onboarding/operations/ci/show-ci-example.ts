import type { OnboardingEngine } from "../engine.ts";
import { CI_EXAMPLES } from "#checking/model/ci/ci-findings.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { defineOperation } from "#kernel/operations/operation.ts";

export const showCiExampleOperation = defineOperation({
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
  page: ({ path, text }) => ({ title: `# ${path}`, guide: text.trimEnd(), isGuideVerbatim: true }),
});
