/** An empty text or `false` hides its section. */
export type TemplateValues = Readonly<Record<string, string | boolean | undefined>>;

const TEMPLATE_SECTION_PATTERN = /^\{\{#(\w+)\}\}\n([\s\S]*?)^\{\{\/\1\}\}\n?/gm;
const TEMPLATE_NAME_PATTERN = /\{\{([#/]?)(\w+)\}\}/g;

/** Keeps the lines from `{{#name}}` to `{{/name}}` only if the name has a value. Throws on an unknown name. */
export function renderTemplate(template: string, values: TemplateValues): string {
  const shown = renderTemplateSections(template, (name) => getTemplateValue(values, name));
  const tidy = `${shown.replace(/\n{3,}/g, "\n\n").trim()}\n`;
  // Inserted texts are not expanded again.
  return tidy.replace(TEMPLATE_NAME_PATTERN, (_, mark: string, name: string) => {
    if (mark !== "") throw new Error(`The template opens or closes "${name}" without its other half.`);
    return String(getTemplateValue(values, name) ?? "").trim();
  });
}

function renderTemplateSections(template: string, of: (name: string) => string | boolean | undefined): string {
  return template.replace(TEMPLATE_SECTION_PATTERN, (_, name: string, body: string) =>
    of(name) ? renderTemplateSections(body, of) : "",
  );
}

function getTemplateValue(values: TemplateValues, name: string): string | boolean | undefined {
  if (Object.hasOwn(values, name)) return values[name];
  throw new Error(`The template names "${name}", which has no value.`);
}
