import type { Readable, Writable } from "node:stream";
import { parseJSONRPCMessage, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { MessageIdScanner } from "./message-id-scanner.ts";

/** Bytes. Twice the size of the largest tool call. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** A line without an end is answered too. */
const MAX_SCANNED_BYTES = 4 * MAX_MESSAGE_BYTES;

/** Unlike the SDK's transport, it answers unreadable input and drops an endless line, not the connection. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #parts: Buffer[] = [];
  #length = 0;
  /** Reads on in a message that is too long, until it finds the id. */
  #skipped: MessageIdScanner | undefined;
  #isAnswered = false;
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#receive);
    this.#input.on("end", this.#end);
    this.#input.on("close", this.#end);
    this.#input.on("error", (error: Error) => this.onerror?.(error));
    this.#output.on("error", this.#end);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("The client closed the connection."));
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off("data", this.#receive);
    this.#input.pause();
    this.onclose?.();
  }

  readonly #end = (): void => void this.close();

  readonly #receive = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  };

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (!this.#skipped) this.#parts.push(piece);
    if (this.#length <= MAX_MESSAGE_BYTES || this.#isAnswered) return;
    const unread = this.#skipped ? [piece] : this.#parts;
    const scanner = (this.#skipped ??= new MessageIdScanner());
    for (const part of unread) scanner.read(part);
    this.#parts = [];
    if (scanner.id !== undefined || this.#length > MAX_SCANNED_BYTES) this.#refuseLength(scanner.id);
  }

  #refuseLength(id: string | number | undefined): void {
    this.#isAnswered = true;
    this.#refuse(ProtocolErrorCode.InvalidRequest, `A message may have at most ${MAX_MESSAGE_BYTES} bytes.`, id);
  }

  #finishLine(): void {
    const line = this.#skipped ? "" : Buffer.concat(this.#parts).toString("utf8");
    if (this.#skipped && !this.#isAnswered) this.#refuseLength(this.#skipped.id);
    this.#parts = [];
    this.#length = 0;
    this.#skipped = undefined;
    this.#isAnswered = false;
    if (line.trim() !== "") this.#deliver(line);
  }

  #deliver(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#refuse(ProtocolErrorCode.ParseError, "The line is not JSON.");
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const why = Array.isArray(value) ? "Batches are not supported." : "The line is not a JSON-RPC 2.0 message.";
      return this.#refuse(ProtocolErrorCode.InvalidRequest, why, readMessageId(value));
    }
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, id?: string | number): void {
    const answer = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message } } as JSONRPCMessage;
    this.send(answer).catch((error: unknown) => this.onerror?.(error as Error));
  }
}

function readMessageId(value: unknown): string | number | undefined {
  const id: unknown = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}
