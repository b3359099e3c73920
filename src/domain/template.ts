/** An empty text or `false` hides its section. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

const SECTION = /^\{\{#(\w+)\}\}\n([\s\S]*?)^\{\{\/\1\}\}\n?/gm;
const NAME = /\{\{([#/]?)(\w+)\}\}/g;

/**
 * Replaces `{{name}}` with its text. Keeps the lines from `{{#name}}` to `{{/name}}` only if the name has a value.
 * Throws on an unknown name.
 */
export function renderTemplate(template: string, values: Values): string {
  const shown = withSections(template, (name) => valueOf(values, name));
  const tidy = `${shown.replace(/\n{3,}/g, "\n\n").trim()}\n`;
  // Inserted texts are not expanded again.
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
