import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { builtFile } from '../kernel/files.ts';
import { isRead, pathOf } from './request.ts';
import { contentTypes, immutable, StaticDocument, sendDocument } from './static.ts';

/** Where `npm run build` puts the console. */
const folder = builtFile('console/');
const assetPath = '/console/';
/** The addresses of its pages, which routes.tsx of the console routes. */
const pagePath =
  /^\/(?:$|(?:account|exposed|record|regions|roles|start|templates|users)$|(?:teams|regions|templates|users|applications|components|rules|jobs|webhooks)\/)/;

/** The documents that the console sends, which the build collects. */
const documentsFile = 'documents.json';

/** The documents of the console. None if it was not built. */
export function consoleDocuments(): { id: string; text: string }[] {
  const file = new URL(documentsFile, folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

interface Site {
  page: StaticDocument;
  assets: Map<string, StaticDocument>;
}

/** Serves the console: one page for all of its addresses, and its assets, whose names change with their content. */
export function createConsole(graphiqlPath: string | undefined) {
  let site: Promise<Site | undefined> | undefined;
  const open = () => {
    site ??= readSite(graphiqlPath);
    return site;
  };
  return {
    isAsset: (path: string) => path.startsWith(assetPath),
    isPage: (req: IncomingMessage) =>
      isRead(req) && pagePath.test(pathOf(req)) && (req.headers.accept ?? '').includes('text/html'),
    /** Returns false if there is no such asset. */
    async asset(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
      const asset = (await open())?.assets.get(pathOf(req));
      if (asset) await sendDocument(req, res, asset, immutable);
      return asset !== undefined;
    },
    /** Returns false if the console was not built. */
    async page(req: IncomingMessage, res: ServerResponse, status?: 404): Promise<boolean> {
      const page = (await open())?.page;
      if (page) await sendDocument(req, res, page, 'no-cache', status);
      return page !== undefined;
    },
  };
}

async function readSite(graphiqlPath: string | undefined): Promise<Site | undefined> {
  const assets = new Map<string, StaticDocument>();
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes('index.html')) return undefined;
  for (const name of names) {
    if (name === documentsFile) continue;
    const type = contentTypes[extname(name).slice(1) as keyof typeof contentTypes];
    const body = await readFile(new URL(name, folder), 'utf8');
    assets.set(assetPath + name, new StaticDocument(type, body));
  }
  const html = await readFile(new URL('index.html', folder), 'utf8');
  const link = graphiqlPath === undefined ? '' : ` data-graphiql="${graphiqlPath}"`;
  const page = new StaticDocument(contentTypes.html, html.replace(' data-graphiql="/graphql"', link));
  assets.delete(`${assetPath}index.html`);
  return { page, assets };
}
