import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientsFolder } from '../support/client-examples.ts';
import type { All } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

describe("the inspector's command line", () => {
  // What `npx @modelcontextprotocol/inspector --cli` starts in a process of its own.
  const cli = join(clientsFolder, 'node_modules/@modelcontextprotocol/inspector-cli/build/index.js');

  /** The program finds its package.json from the working folder. */
  async function inspect(token: string, ...args: string[]) {
    const header = `Authorization: Bearer ${token}`;
    const command = [
      cli,
      `${trellis.url}/mcp`,
      '--transport',
      'http',
      '--header',
      header,
      '--method',
      ...args,
    ];
    return promisify(execFile)(process.execPath, command, { cwd: dirname(cli) }).then(
      ({ stdout }) => JSON.parse(stdout),
      ({ stderr }) => stderr as string,
    );
  }
  const callTool = (name: string, ...given: string[]) => [
    'tools/call',
    '--tool-name',
    name,
    ...given.flatMap((each) => ['--tool-arg', each]),
  ];

  it('lists tools and resources, reads one, and calls tools', async () => {
    const token = trellis.adminToken;
    const port = JSON.stringify({ at: { component: { id: all.component.id }, number: 8080 } });
    const [tools, resources, schema, opened, refused, unknown] = await Promise.all([
      inspect(token, 'tools/list'),
      inspect(token, 'resources/list'),
      inspect(token, 'resources/read', '--uri', 'trellis://schema.graphql'),
      inspect(token, ...callTool('open_outer_service', `port=${port}`)),
      inspect(token, ...callTool('get_team', 'team={"name":"nowhere"}')),
      inspect('trl_unknown', 'tools/list'),
    ]);
    const client = await connectMcp(trellis, token);
    expect(tools).toEqual(await client.client.listTools());
    await client.close();
    expect(resources.resources).toHaveLength(2);
    expect(schema.contents[0].text).toContain('type Query {');
    expect(opened.structuredContent.port).toMatchObject({ number: 8080, isOuter: true });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('NOT_FOUND: There is no such team.') }],
    });
    expect(unknown).toContain('A valid access token is required.');
  });
});
