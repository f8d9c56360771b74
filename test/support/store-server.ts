import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { closerOf } from './close-server.ts';

export interface StoreServer {
  url: string;
  port: number;
  /** What it was asked, in order. */
  requests: { method: string; path: string; headers: IncomingHttpHeaders }[];
  /** How many connections reached it, also those that asked nothing. */
  connections(): number;
  /** Bytes that its sockets, open or closed, took for sending. */
  bytesWritten(): number;
  close(): Promise<void>;
}

/** A real HTTP server on a port of 127.0.0.1 that behaves as the handler does. */
export async function startStoreServer(handler: RequestListener): Promise<StoreServer> {
  const requests: StoreServer['requests'] = [];
  const open = new Set<Socket>();
  let connections = 0;
  let writtenByClosed = 0;
  const server = createServer((request, response) => {
    requests.push({ method: request.method!, path: request.url!, headers: request.headers });
    response.on('error', () => {});
    handler(request, response);
  });
  server.on('connection', (socket) => {
    connections++;
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(socket);
      writtenByClosed += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    bytesWritten: () => [...open].reduce((sum, socket) => sum + socket.bytesWritten, writtenByClosed),
    close: closerOf(server),
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const templatesUrl = new URL('../../prisma/templates/', import.meta.url);

/** A published application: the store's entry for it, and the text of the template of each version. */
export interface PublishedApp {
  entry: any;
  templates: Map<string, string>;
}

/** The real applications of prisma/templates, by id. */
export function readPublishedApps(): Map<string, PublishedApp> {
  const folders = readdirSync(templatesUrl, { withFileTypes: true }).filter((each) => each.isDirectory());
  const apps = folders.map(({ name }): PublishedApp => {
    const read = (file: string) => readFileSync(new URL(`${name}/${file}`, templatesUrl), 'utf8');
    const entry = JSON.parse(read('app.json'));
    const versions: string[] = entry.versions.map((each: any) => each.appVersion);
    return { entry, templates: new Map(versions.map((version) => [version, read(`${version}.json`)])) };
  });
  return new Map(apps.map((app) => [app.entry.appKeyID, app]));
}

export const storeKey = 'store-key-for-tests';

/** Answers the three calls of the protocol, to the holder of the key. */
export function answerTemplates(apps = readPublishedApps()): RequestListener {
  return (request, response) => {
    if (request.headers.authorization !== storeKey) return sendJson(response, { msg: 'no' }, 401);
    const url = new URL(request.url!, 'http://store');
    const match = /^\/app-server\/openapi\/apps\/([^/]+)(\/versions(?:\/([^/]+))?)?$/.exec(url.pathname);
    const app = match && apps.get(decodeURIComponent(match[1]!));
    if (!app || !url.searchParams.has('marketDomain')) return sendJson(response, { msg: 'unknown' }, 404);
    const { entry, templates } = app;
    if (!match[2]) return sendJson(response, entry);
    if (!match[3]) return sendJson(response, { versions: entry.versions });
    const version = decodeURIComponent(match[3]);
    const template = templates.get(version);
    if (template === undefined) return sendJson(response, { msg: 'unknown' }, 404);
    sendJson(response, {
      appKeyID: entry.appKeyID,
      appName: entry.name,
      version,
      versionAlias: version,
      description: entry.desc,
      templateType: 'RAM',
      updateTime: entry.updateTime,
      template: url.searchParams.get('getTemplate') === 'True' ? template : '',
    });
  };
}

/** A store with the real applications. */
export const serveTemplates = () => startStoreServer(answerTemplates());
