/**
 * Serves the OpenAPI document and Swagger UI, without a CDN.
 *
 * @see https://github.com/swagger-api/swagger-ui/blob/master/docs/usage/configuration.md
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { ICON } from '../../http/icon.ts';
import { contentTypes, immutable, StaticDocument, sendDocument } from '../../http/static.ts';
import { MethodNotAllowedError } from '../../kernel/errors.ts';
import { copiedFile } from '../../kernel/files.ts';
import { sendProblem } from '../problem.ts';
import { type Route, restPath } from '../route.ts';
import { openapiOf, openapiPath } from './document.ts';

const docsPath = `${restPath}/docs`;

interface Served {
  document: StaticDocument;
  caching: string;
}

/** A document that the page shows, and the name by which the address of the page asks for it. */
export interface ShownDocument {
  name: string;
  title: string;
  url: string;
}

/**
 * Serves the document of the contract, its assets and the page, which shows other documents as well. Returns false, and sends
 * nothing, for other requests.
 */
export function createDocs(routes: readonly Route[], others: readonly ShownDocument[]) {
  let site: Promise<ReadonlyMap<string, Served>> | undefined;
  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    const path = req.url!.split('?', 1)[0]!;
    if (path !== openapiPath && path !== docsPath && !path.startsWith(`${docsPath}/`)) return false;
    // Errors are not cached, so that the next request tries again.
    site ??= build(routes, others).catch((error) => {
      site = undefined;
      throw error;
    });
    const served = (await site).get(path);
    if (!served) return false;
    const Allow = 'GET, HEAD, OPTIONS';
    if (req.method === 'OPTIONS') {
      res.writeHead(204, { Allow }).end();
    } else if (req.method === 'GET' || req.method === 'HEAD') {
      await sendDocument(req, res, served.document, served.caching);
    } else {
      sendProblem(res, new MethodNotAllowedError(Allow));
    }
    return true;
  };
}

/** Built at the first request, because most servers never serve it. */
async function build(
  routes: readonly Route[],
  others: readonly ShownDocument[],
): Promise<Map<string, Served>> {
  const { resolve } = createRequire(import.meta.url);
  const readPackageFile = (file: string) => readFile(resolve(`swagger-ui-dist/${file}`), 'utf8');
  const site = new Map<string, Served>();
  const add = (name: string, extension: 'css' | 'js' | 'svg', body: string) => {
    const document = new StaticDocument(contentTypes[extension], body);
    const path = `${docsPath}/${name}.${document.hash}.${extension}`;
    site.set(path, { document, caching: immutable });
    return path;
  };
  const allDocuments = [{ name: 'contract', title: 'The contract', url: openapiPath }, ...others];
  const css = add('swagger-ui', 'css', (await readPackageFile('swagger-ui.css')) + ownStyle);
  const program = await readFile(copiedFile('rest-docs.mjs'), 'utf8');
  const scripts = {
    library: add('swagger-ui', 'js', await readPackageFile('swagger-ui-bundle.js')),
    program: add('boot', 'js', `${program}\nshow(${JSON.stringify(allDocuments)});\n`),
  };
  const page = new StaticDocument(
    contentTypes.html,
    pageHtml(css, add('icon', 'svg', ICON), scripts, allDocuments),
  );
  const text = JSON.stringify(openapiOf(routes));
  site.set(docsPath, { document: page, caching: 'no-cache' });
  site.set(openapiPath, { document: new StaticDocument(contentTypes.json, text), caching: 'no-cache' });
  return site;
}

const ownStyle = `
.documents { max-width: 1460px; margin: 0 auto; padding: 16px 20px 0; display: flex; gap: 20px; font: 16px sans-serif; }
.documents a { color: inherit; padding-bottom: 4px; }
.documents a[aria-current=true] { font-weight: bold; text-decoration: none; border-bottom: 3px solid #49cc90; }
.dark-mode .documents { color: #e4e6e6; }
@media (prefers-reduced-motion: reduce) {
  .swagger-ui *, .swagger-ui *::before, .swagger-ui *::after { animation: none !important; transition: none !important; }
}
`;

const pageHtml = (
  css: string,
  icon: string,
  { library, program }: { library: string; program: string },
  shown: readonly ShownDocument[],
) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Trellis REST API</title>
<link rel="icon" href="${icon}">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${css}">
<script src="${library}" defer></script>
<script src="${program}" type="module"></script>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<nav class="documents" aria-label="Documents">
${shown.map(({ name, title }) => `<a href="?document=${name}">${title}</a>`).join('\n')}
</nav>
<div id="swagger-ui"></div>
</body>
</html>
`;
