/** What a template's names stand for; an empty text, or no, leaves its section out. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

const SECTION = /^\{\{#(\w+)\}\}\n([\s\S]*?)^\{\{\/\1\}\}\n?/gm;
const NAME = /\{\{([#/]?)(\w+)\}\}/g;

/**
 * A template with its names replaced. `{{name}}` is the text of that name; the lines from `{{#name}}` to `{{/name}}` are
 * there only if it has one. A name that nobody knows is a mistake in the template, and never left standing.
 */
export function renderTemplate(template: string, values: Values): string {
  const shown = withSections(template, (name) => valueOf(values, name));
  const tidy = `${shown.replace(/\n{3,}/g, "\n\n").trim()}\n`;
  // The texts themselves are not read again: what looks like a name in them is theirs.
  return tidy.replace(NAME, (_, mark: string, name: string) => {
    if (mark !== "") throw new Error(`The template opens or closes "${name}" without its other half.`);
    return String(valueOf(values, name) ?? "").trim();
  });
}

function withSections(template: string, of: (name: string) => string | boolean | undefined): string {
  return template.replace(SECTION, (_, name: string, body: string) => (of(name) ? withSections(body, of) : ""));
}

function valueOf(values: Values, name: string): string | boolean | undefined {
  if (Object.hasOwn(values, name)) return values[name];
  throw new Error(`The template names "${name}", which has no value.`);
}
