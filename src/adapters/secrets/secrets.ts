import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { findSecrets, maskRanges, type SecretRange } from "#domain/secret.ts";

const config = { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }] };

/** The text with whatever looks like a secret masked, by a maintained rule set and by our own. */
export async function maskSecrets(text: string): Promise<{ text: string; found: readonly string[] }> {
  const ranges = [...(await ruled(text)), ...findSecrets(text)];
  return { text: maskRanges(text, ranges), found: [...new Set(ranges.map(({ kind }) => kind))].toSorted() };
}

async function ruled(text: string): Promise<SecretRange[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: "memory.txt", contentType: "text", ext: ".txt" },
    options: { config, noPhysicFilePath: true, locale: "en" },
  });
  // A byte order mark is not counted by the rules.
  const shift = text.startsWith("\uFEFF") ? 1 : 0;
  return messages.flatMap(({ type, messageId, range: [from, to] }) =>
    type === "message"
      ? [{ kind: messageId.toLowerCase().replaceAll("_", "-"), from: from + shift, to: to + shift }]
      : [],
  );
}
