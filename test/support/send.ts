import { type Agent, request } from 'node:http';
import { requireNames } from './named-messages.ts';
import type { Trellis } from './trellis.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The parsed body; undefined when it is no JSON. */
  body: any;
}

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string | undefined>;
  /** A list is sent in chunks, without a length. */
  body?: string | Buffer | string[];
  /** Another bearer token than the administrator's; null for none. */
  token?: string | null;
  /** Keeps connections. By default, every request has its own. */
  agent?: Agent;
}

/** One request exactly as given: nothing is added but a token, a content type for a body and its length. */
export function send(trellis: Pick<Trellis, 'url' | 'adminToken'>, sent: Sent): Promise<Answer> {
  const { body, token = trellis.adminToken } = sent;
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
  const headers: Record<string, string | undefined> = {
    ...(token !== null && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(body !== undefined && !Array.isArray(body) && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...sent.headers,
  };
  for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name];
  const { hostname, port } = new URL(trellis.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      method,
      path: sent.path ?? '/graphql',
      headers: headers as Record<string, string>,
      agent: sent.agent ?? false,
    });
    let answered = false;
    outgoing.once('response', (response) => {
      answered = true;
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () => {
        try {
          requireNames(
            () => [outgoing.path, ...[body ?? []].flat(), JSON.stringify(headers)].join('\n'),
            text,
          );
        } catch (error) {
          reject(error);
        }
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          text,
          body: parsed(text),
        });
      });
    });
    // A server may answer before it has read the whole body, and then stop reading.
    outgoing.on('error', (error) => answered || reject(error));
    for (const chunk of Array.isArray(body) ? body : []) outgoing.write(chunk);
    outgoing.end(Array.isArray(body) ? undefined : body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
