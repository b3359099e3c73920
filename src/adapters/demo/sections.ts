const DEMO_TEXT_HEADING = /^=== (.+)$/;

/** Each text starts with a line `=== name`. */
export function parseDemoTexts(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let name: string | undefined;
  for (const line of text.trimEnd().split("\n")) {
    name = DEMO_TEXT_HEADING.exec(line)?.[1] ?? name;
    if (name === undefined) throw new Error(`A text of the demo begins with ${JSON.stringify(line)}.`);
    found.set(name, DEMO_TEXT_HEADING.test(line) ? "" : `${found.get(name) ?? ""}${line}\n`);
  }
  return found;
}

export function getDemoText(texts: ReadonlyMap<string, string>, name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`The demo has no text called ${JSON.stringify(name)}.`);
  return text;
}
