import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Answer } from '../support/send.ts';

const unpack: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

export interface KeepAlive {
  send(sent: {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string | Buffer;
  }): Promise<Answer>;
  close(): void;
}

/** A client that keeps its connections, as those of users do: an answer must not spoil the next request. */
export function keepAlive(url: string, connections: number): KeepAlive {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  return {
    send: ({ body, ...sent }) =>
      new Promise((resolve, reject) => {
        const length = body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) };
        const headers = { ...length, ...sent.headers };
        const outgoing = request({ ...sent, headers, hostname, port, agent });
        let answered = false;
        outgoing.once('response', (response) => {
          answered = true;
          const chunks: Buffer[] = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const encoding = response.headers['content-encoding'];
            const packed = Buffer.concat(chunks);
            const text = (encoding && packed.length ? unpack[encoding]!(packed) : packed).toString();
            let parsed: unknown;
            try {
              parsed = JSON.parse(text);
            } catch {}
            resolve({
              status: response.statusCode!,
              headers: response.headers as Record<string, string>,
              text,
              body: parsed,
            });
          });
        });
        outgoing.on('error', (error) => answered || reject(error));
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}
