const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const LONGEST_ID = 300;

/** Finds the id of a JSON-RPC message that is too long to be kept. Reads each byte once. */
export class MessageIdScanner {
  id: string | number | undefined;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Text of the top level since the last comma or colon. */
  #token = "";
  #isIdNext = false;

  read(bytes: Uint8Array): void {
    for (const byte of bytes) if (this.id === undefined) this.#step(byte);
  }

  #step(byte: number): void {
    const isTop = this.#depth === 1;
    if (this.#isInString) {
      if (isTop) this.#keep(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      return;
    }
    if (isTop && (byte === COMMA || CLOSING.has(byte))) this.#endValue();
    if (OPENING.has(byte)) this.#depth++;
    else if (CLOSING.has(byte)) this.#depth--;
    else if (isTop && byte === COLON) {
      this.#isIdNext = this.#token.trim() === '"id"';
      this.#token = "";
    } else if (isTop && byte !== COMMA) this.#keep(byte);
    this.#isInString = byte === QUOTE;
  }

  #keep(byte: number): void {
    if (this.#token.length <= LONGEST_ID) this.#token += String.fromCharCode(byte);
  }

  #endValue(): void {
    const token = this.#token.trim();
    this.#token = "";
    if (!this.#isIdNext) return;
    this.#isIdNext = false;
    if (/^"[\x20\x21\x23-\x5b\x5d-\x7e]*"$/.test(token)) this.id = token.slice(1, -1);
    else if (/^-?\d{1,15}$/.test(token)) this.id = Number(token);
  }
}
