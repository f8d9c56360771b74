/**
 * GraphiQL without a CDN: a small page and static assets at content-hashed URLs, so that a browser
 * fetches the editor (9 MB, some 2 MB compressed) once instead of with every page.
 *
 * @see https://github.com/graphql/graphiql
 * @see https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { bootScript, ICON, pageHtml } from './graphiql-page.ts';

export interface GraphiqlOptions {
  /** Path of the GraphQL endpoint, which is also the path of the page: `/graphql`. */
  endpoint: string;
  title: string;
  /** What a new tab starts with. */
  defaultQuery: string;
  /** One tab each at the first visit; a tab is named after the operation, so name it. */
  examples: { title: string; query: string; variables?: string }[];
}

export interface Graphiql {
  /** Answers with the page. The caller decides which requests want it (GET or HEAD that accept HTML). */
  page(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Answers `GET|HEAD /graphiql/…`; false, with nothing sent, when there is no such asset. */
  asset(req: IncomingMessage, res: ServerResponse): Promise<boolean>;
}

const ASSETS = '/graphiql/';

const SECURITY = {
  // The editor writes <style> elements and style attributes, and its fonts and icons are data: URLs in
  // its style sheet. It needs no eval, no inline script and no blob: worker.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export function createGraphiql(options: GraphiqlOptions): Graphiql {
  let site: Promise<Site> | undefined;
  const open = () => {
    site ??= build(options);
    return site;
  };

  return {
    async page(req, res) {
      const { page } = await open();
      await send(req, res, page, 'no-cache');
    },
    async asset(req, res) {
      const path = req.url?.split('?', 1)[0] ?? '';
      if (!path.startsWith(ASSETS) || (req.method !== 'GET' && req.method !== 'HEAD')) return false;
      const asset = (await open()).assets.get(path);
      if (!asset) return false;
      await send(req, res, asset, 'public, max-age=31536000, immutable');
      return true;
    },
  };
}

interface Site {
  page: Document;
  assets: Map<string, Document>;
}

/** The module is 9 MB: imported at the first request, because starting the server must stay quick. */
async function build(options: GraphiqlOptions): Promise<Site> {
  const editor = await import('@graphql-yoga/render-graphiql/graphiql');
  const assets = new Map<string, Document>();
  const add = (name: string, extension: 'css' | 'js' | 'svg', body: string) => {
    const document = new Document(CONTENT_TYPES[extension], body);
    const path = `${ASSETS}${name}.${document.hash}.${extension}`;
    assets.set(path, document);
    return path;
  };

  const boot = add(
    'boot',
    'js',
    bootScript({
      endpoint: options.endpoint,
      defaultQuery: options.defaultQuery,
      tabs: options.examples.map(({ title, query, variables }) => ({
        query: query.startsWith('#') ? query : `# ${title}\n${query}`,
        variables,
      })),
      css: add('editor', 'css', editor.css),
      js: add('editor', 'js', editor.js),
      workers: {
        editorWorkerService: add('editor-worker', 'js', editor.editorWorkerService),
        json: add('json-worker', 'js', editor.jsonWorker),
        graphql: add('graphql-worker', 'js', editor.graphqlWorker),
      },
    }),
  );
  const page = pageHtml({ title: options.title, boot, icon: add('icon', 'svg', ICON) });
  return { page: new Document(CONTENT_TYPES.html, page), assets };
}

// ---- what is sent

const CONTENT_TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

type Encoding = 'br' | 'gzip' | 'identity';

class Document {
  readonly type: string;
  readonly hash: string;
  readonly #body: Buffer;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(type: string, body: string) {
    this.type = type;
    this.#body = Buffer.from(body);
    this.hash = createHash('sha256').update(this.#body).digest('hex').slice(0, 16);
  }

  /** Requests that arrive while the first one compresses wait for the same work. */
  as(encoding: Encoding): Promise<Buffer> {
    const encoded = this.#encoded.get(encoding) ?? compress[encoding](this.#body);
    this.#encoded.set(encoding, encoded);
    return encoded;
  }
}

// Quality 5 takes a seventh of a second for the editor; 9 takes half a second and saves another 4 %.
const brotli = { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } };
const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, brotli),
  gzip: (body) => promisify(gzip)(body),
  identity: async (body) => body,
};

async function send(req: IncomingMessage, res: ServerResponse, document: Document, caching: string) {
  const encoding = acceptedEncoding(req.headers['accept-encoding']);
  const etag = `"${document.hash}-${encoding}"`;
  const headers = { ...SECURITY, 'Cache-Control': caching, ETag: etag, Vary: 'Accept-Encoding' };
  if (req.headers['if-none-match']?.includes(etag)) {
    res.writeHead(304, headers).end();
    return;
  }

  const body = await document.as(encoding);
  res.writeHead(200, {
    ...headers,
    'Content-Type': document.type,
    'Content-Length': body.byteLength,
    ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
function acceptedEncoding(header: string | string[] | undefined): Encoding {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', weight = 'q=1'] = part.split(';').map((text) => text.trim());
        return [name, Number(weight.replace('q=', ''))] as const;
      }),
  );
  const accepted = (name: Encoding) => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  if (accepted('br')) return 'br';
  return accepted('gzip') ? 'gzip' : 'identity';
}
