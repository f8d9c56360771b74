import type { IncomingMessage, ServerResponse } from 'node:http';
import { ICON } from './icon.ts';
import { contentTypes, StaticDocument, sendDocument } from './static.ts';

/** Serves the overview at `/`, as JSON, and the icon. Browsers get the console at `/`. */
export function createLanding({
  graphqlPath,
  restPath,
  openapiPath,
  mcpPath,
}: Record<'graphqlPath' | 'restPath' | 'openapiPath' | 'mcpPath', string>) {
  const overview = {
    name: 'Trellis',
    description: 'The management API of a cloud application platform.',
    links: {
      restDocs: `${restPath}/docs`,
      graphql: graphqlPath,
      rest: restPath,
      openapi: openapiPath,
      mcp: mcpPath,
      documents: '/llms.txt',
      health: '/healthz',
      readiness: '/readyz',
    },
  };
  const json = new StaticDocument(contentTypes.json, `${JSON.stringify(overview, null, 2)}\n`);
  const icon = new StaticDocument(contentTypes.svg, ICON);

  return {
    serves: (path: string) => path === '/' || path === '/favicon.svg' || path === '/favicon.ico',
    async answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
      if (path !== '/') return sendDocument(req, res, icon, 'public, max-age=86400');
      await sendDocument(req, res, json, 'no-cache');
    },
  };
}
