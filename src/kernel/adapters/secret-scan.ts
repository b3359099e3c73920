import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { findSecrets, maskSecretRanges, type SecretRange } from "../model/secret-detection.ts";

/** Rules that let a text disable other rules, or that mask more than the secret; our own rules cover those. */
const UNWANTED_SECRET_RULE = /-(?:filter-comments|basicauth|database-connection-string|aws)$/;
const secretlintConfig = {
  rules: rules
    .filter(({ meta }) => !UNWANTED_SECRET_RULE.test(meta.id))
    .map((rule) => ({ id: rule.meta.id, rule, options: {} })),
};

/** It marks every rule on the global timeline, which a server that runs for days never clears. */
secretLintProfiler.setEnabled(false);

export async function maskSecrets(text: string): Promise<{ text: string; found: readonly string[] }> {
  const ruled = await findSecretsByRules(text);
  // The rules know the exact kind of a token.
  const isNamed = ({ kind, from, to }: SecretRange): boolean =>
    kind === "api-token" && ruled.some((each) => each.from <= from && to <= each.to);
  const own = findSecrets(text).filter((each) => !isNamed(each));
  const ranges = [...ruled, ...own];
  return { text: maskSecretRanges(text, ranges), found: [...new Set(ranges.map(({ kind }) => kind))].toSorted() };
}

async function findSecretsByRules(text: string): Promise<SecretRange[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: "memory.txt", contentType: "text", ext: ".txt" },
    options: { config: secretlintConfig, noPhysicFilePath: true, locale: "en" },
  });
  // The rules do not count a byte order mark.
  const shift = text.startsWith("\uFEFF") ? 1 : 0;
  return messages.flatMap(({ type, messageId, range: [from, to] }) =>
    type === "message"
      ? [{ kind: messageId.toLowerCase().replaceAll("_", "-"), from: from + shift, to: to + shift }]
      : [],
  );
}
