import type { IncomingMessage, ServerResponse } from 'node:http';
import { ICON } from './icon.ts';
import { contentTypes, StaticDocument, sendDocument } from './static.ts';

interface Place {
  name: string;
  path: string;
  text: string;
}

const iconPath = '/favicon.svg';

/** Serves the landing page at `/`, as HTML and JSON, and the icon. */
export function createLanding(
  { graphiql }: { graphiql: boolean },
  { graphqlPath, restPath, openapiPath }: Record<'graphqlPath' | 'restPath' | 'openapiPath', string>,
) {
  const docs = {
    name: 'REST docs',
    path: `${restPath}/docs`,
    text: 'Read the operations and send requests.',
  };
  const pages: Place[] = graphiql
    ? [{ name: 'GraphiQL', path: graphqlPath, text: 'Explore the GraphQL API in the browser.' }, docs]
    : [docs];
  const machines: Place[] = [
    { name: 'GraphQL', path: graphqlPath, text: 'The GraphQL endpoint.' },
    { name: 'REST', path: restPath, text: 'The REST API.' },
    { name: 'OpenAPI', path: openapiPath, text: 'The OpenAPI document of the REST API.' },
    { name: 'Health', path: '/healthz', text: 'Whether the process lives.' },
    { name: 'Readiness', path: '/readyz', text: 'Whether the database answers.' },
  ];
  const page = new StaticDocument(contentTypes.html, pageHtml(pages, machines, [graphqlPath, restPath]));
  const overview = {
    name: 'Trellis',
    description,
    links: Object.fromEntries([docs, ...machines].map(({ name, path }) => [nameInJson(name), path])),
  };
  const json = new StaticDocument(contentTypes.json, `${JSON.stringify(overview, null, 2)}\n`);
  const icon = new StaticDocument(contentTypes.svg, ICON);

  return {
    serves: (path: string) => path === '/' || path === iconPath || path === '/favicon.ico',
    async answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
      if (path !== '/') return sendDocument(req, res, icon, 'public, max-age=86400');
      res.appendHeader('Vary', 'Accept');
      const wantsPage = (req.headers.accept ?? '').includes('text/html');
      await sendDocument(req, res, wantsPage ? page : json, 'no-cache');
    },
  };
}

const description = 'The management API of a cloud application platform.';
const nameInJson = (name: string) =>
  name.toLowerCase().replace(/ (\w)/g, (_, letter) => letter.toUpperCase());

const card = ({ name, path, text }: Place) =>
  `<li><a href="${path}"><strong>${name}</strong><span>${text}</span><code>${path}</code></a></li>`;

/** The probes can be looked at; the endpoints themselves have nothing to show in a browser. */
const isPage = ({ path }: Place) => path.endsWith('z') || path.endsWith('.json');

const pageHtml = (pages: Place[], machines: Place[], endpoints: string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Trellis</title>
<link rel="icon" href="${iconPath}">
<style>
:root { color-scheme: light dark; --ink: light-dark(#1f2937, #e5e7eb); --faint: light-dark(#5b6472, #a3adbd);
  --line: light-dark(#dde1e8, #364152); --paper: light-dark(#f7f8fa, #161d2a); --card: light-dark(#fff, #212a3b);
  --accent: light-dark(#15803d, #4ade80); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 12vh 20px 40px; }
h1 { display: flex; align-items: center; gap: 14px; margin: 0; font-size: 32px; }
h2 { margin: 36px 0 10px; font-size: 15px; color: var(--faint); font-weight: 600; }
p { margin: 8px 0 0; color: var(--faint); }
ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 12px; margin: 28px 0 0;
  padding: 0; list-style: none; }
h2 + ul { margin-top: 0; }
a { display: grid; gap: 2px; height: 100%; box-sizing: border-box; padding: 14px 16px; border: 1px solid var(--line);
  border-radius: 10px; background: var(--card); color: inherit; text-decoration: none; align-content: start; }
a:hover { border-color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a span { color: var(--faint); font-size: 14px; }
code { color: var(--accent); font: 13px ui-monospace, monospace; }
</style>
</head>
<body>
<main>
<h1><img src="${iconPath}" alt="" width="40" height="40">Trellis</h1>
<p>${description}</p>
<ul>
${pages.map(card).join('\n')}
</ul>
<h2>For programs</h2>
<ul>
${machines.filter(isPage).map(card).join('\n')}
</ul>
<p>Requests go to ${endpoints.map((path) => `<code>${path}</code>`).join(' and ')}, with <code>Authorization: Bearer &lt;token&gt;</code>.</p>
</main>
</body>
</html>
`;
