/** What a template's names stand for; an empty text leaves its section out. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

const SECTION = /^\{\{#(\w+)\}\}\n([\s\S]*?)^\{\{\/\1\}\}\n?/gm;
const NAME = /\{\{(\w+)\}\}/g;

/**
 * A template with its names replaced. `{{name}}` is the text of that name; the lines from `{{#name}}` to `{{/name}}` are
 * there only if it has one. A name that nobody knows is a mistake in the template, and never left standing.
 */
export function renderTemplate(template: string, values: Values): string {
  const valueOf = (name: string): string | boolean | undefined => {
    if (Object.hasOwn(values, name)) return values[name];
    throw new Error(`The template names "${name}", which has no value.`);
  };
  const shown = template.replace(SECTION, (_, name: string, body: string) => (valueOf(name) ? body : ""));
  // The texts themselves are not read again: what looks like a name in them is theirs.
  const filled = shown.replace(NAME, (_, name: string) => String(valueOf(name) ?? "").trim());
  return `${filled.replace(/\n{3,}/g, "\n\n").trim()}\n`;
}
