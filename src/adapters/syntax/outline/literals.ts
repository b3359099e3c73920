/** A plain string in double quotes: `'it\'s'` and `"it's"` say the same. */
export function inOneQuote(said: string): string {
  const quote = said[0];
  if (quote !== '"' && quote !== "'") return said;
  return `"${said.slice(1, -1).replace(/\\([\s\S])/g, (whole, letter: string) => (/["']/.test(letter) ? letter : whole))}"`;
}

/** `0XFF` is `0xff`, `1.50` is `1.5`, `.5` is `0.5`. */
export function numberInOneForm(said: string): string {
  const lower = said.toLowerCase();
  if (/^0[xbo]/.test(lower)) return lower;
  return lower
    .replace(/^\./, "0.")
    .replace(/(\.\d*?)0+(?=$|e)/, "$1")
    .replace(/\.(?=$|e)/, "")
    .replace("e+", "e");
}
