import { hashShortText } from "#kernel/model/slug.ts";

/** The first line of a template. It holds a hash of the rest, so that an edited file is no longer a template. */
const TEMPLATE_MARK = /^<!-- Template\. Write here, then advance the change\. \(([0-9a-z]{7})\) -->\n+/;

const normalizeTemplate = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

export function createArtifactTemplate(skeleton: string): string {
  const body = normalizeTemplate(skeleton);
  return `<!-- Template. Write here, then advance the change. (${hashShortText(body)}) -->\n\n${body}\n`;
}

/** Whether the file is still an empty template. Templates of other releases count too. */
export function isUntouchedTemplate(text: string): boolean {
  const plain = normalizeTemplate(text);
  const mark = TEMPLATE_MARK.exec(plain);
  return mark !== null && hashShortText(plain.slice(mark[0].length).trim()) === mark[1];
}

export const stripTemplateMark = (text: string): string => text.replace(TEMPLATE_MARK, "");

/** The form that the guide of a stage shows, or the headings that the project asks for instead. */
export function extractGuideSkeleton(guide: string, headings: readonly string[] = []): string {
  if (headings.length > 0) return headings.map((heading) => `## ${heading}\n\n<…>`).join("\n\n");
  return /^```markdown\n([\s\S]*?)^```/m.exec(guide)?.[1] ?? "";
}
