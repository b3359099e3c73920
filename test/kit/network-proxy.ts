import { once } from "node:events";
import net from "node:net";

/** A network between clients and a server, which tests disturb. */
export interface NetworkProxy extends AsyncDisposable {
  readonly port: number;
  /** `pass` forwards, `hold` forwards nothing and keeps connections open, `refuse` resets all. */
  mode: "pass" | "hold" | "refuse";
  /** Milliseconds that each piece waits on its way. */
  delayMs: number;
  /** Called with each piece before it goes on; true resets its connection instead. */
  onData: ((bytes: Buffer, from: "client" | "server") => boolean) | undefined;
  resetAll(): void;
}

export async function startNetworkProxy(target: { readonly port: number }): Promise<NetworkProxy> {
  const open = new Set<net.Socket>();
  const reset = (...sockets: readonly net.Socket[]): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const proxy = net.createServer((client) => {
    if (state.mode === "refuse") return reset(client);
    const server = net.connect(target.port, "127.0.0.1");
    for (const [from, to, side] of [
      [client, server, "client"],
      [server, client, "server"],
    ] as const) {
      open.add(from);
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        if (state.mode !== "hold") to.destroy();
      });
      from.on("data", (bytes: Buffer) => {
        if (state.onData?.(bytes, side)) return reset(client, server);
        const send = (): void => {
          if (state.mode === "pass" && to.writable) to.write(bytes);
        };
        if (state.delayMs === 0) send();
        else setTimeout(send, state.delayMs);
      });
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const state: NetworkProxy = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    mode: "pass",
    delayMs: 0,
    onData: undefined,
    resetAll: () => reset(...open),
    async [Symbol.asyncDispose]() {
      reset(...open);
      proxy.close();
      await once(proxy, "close");
    },
  };
  return state;
}
