/**
 * GraphiQL without a CDN: a small page and static assets at content-hashed URLs, so that browsers cache the editor (9 MB,
 * about 2 MB compressed).
 *
 * @see https://github.com/graphql/graphiql
 * @see https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ICON } from '../../http/icon.ts';
import { contentTypes, immutable, StaticDocument, sendDocument } from '../../http/static.ts';
import { copiedFile } from '../../kernel/files.ts';
import { pageHtml } from './page.ts';

export interface GraphiqlOptions {
  /** The path of the GraphQL endpoint and of the page: `/graphql`. */
  endpoint: string;
  title: string;
  /** The query for names and ids of objects of this installation. */
  names: string;
  /** The text of the first tab, with words in angle brackets for what `names` returns. */
  named: string;
  /** The text of the first tab if there is nothing to name. */
  unnamed: string;
}

export interface Graphiql {
  /** Sends the page, for GET and HEAD requests that accept HTML. */
  page(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Handles `GET` and `HEAD /graphiql/…`. Returns false without sending anything if there is no such asset. */
  asset(req: IncomingMessage, res: ServerResponse): Promise<boolean>;
}

const ASSETS = '/graphiql/';

export function createGraphiql(options: GraphiqlOptions): Graphiql {
  let site: Promise<Site> | undefined;
  const open = () => {
    site ??= build(options);
    return site;
  };

  return {
    async page(req, res) {
      const { page } = await open();
      await sendDocument(req, res, page, 'no-cache');
    },
    async asset(req, res) {
      const path = req.url?.split('?', 1)[0] ?? '';
      if (!path.startsWith(ASSETS) || (req.method !== 'GET' && req.method !== 'HEAD')) return false;
      const asset = (await open()).assets.get(path);
      if (!asset) return false;
      await sendDocument(req, res, asset, immutable);
      return true;
    },
  };
}

interface Site {
  page: StaticDocument;
  assets: Map<string, StaticDocument>;
}

/** Imported at the first request, because the module has 9 MB and would slow down the start. */
async function build(options: GraphiqlOptions): Promise<Site> {
  const editor = await import('@graphql-yoga/render-graphiql/graphiql');
  const assets = new Map<string, StaticDocument>();
  const add = (name: string, extension: 'css' | 'js' | 'svg', body: string) => {
    const document = new StaticDocument(contentTypes[extension], body);
    const path = `${ASSETS}${name}.${document.hash}.${extension}`;
    assets.set(path, document);
    return path;
  };

  const config = {
    endpoint: options.endpoint,
    names: options.names,
    named: options.named,
    unnamed: options.unnamed,
    css: add('editor', 'css', editor.css),
    js: add('editor', 'js', editor.js),
    workers: {
      editorWorkerService: add('editor-worker', 'js', editor.editorWorkerService),
      json: add('json-worker', 'js', editor.jsonWorker),
      graphql: add('graphql-worker', 'js', editor.graphqlWorker),
    },
  };
  const program = await readFile(copiedFile('graphiql.mjs'), 'utf8');
  const boot = add('boot', 'js', `${program}\nstart(${JSON.stringify(config)});\n`);
  const page = pageHtml({ title: options.title, boot, icon: add('icon', 'svg', ICON) });
  return { page: new StaticDocument(contentTypes.html, page), assets };
}
