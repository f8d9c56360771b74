import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Trellis } from './trellis.ts';

export interface ToolAnswer {
  text: string;
  value: any;
  isError: boolean;
}

export type Mcp = Awaited<ReturnType<typeof connectMcp>>;

/**
 * A client of the Model Context Protocol, with the answers of tools as the tests look at them. `tools` are those that are
 * listed: by default those of daily work.
 */
export async function connectMcp({ url }: Pick<Trellis, 'url'>, token: string, tools?: string) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(
    new URL(`${url}/mcp${tools ? `?tools=${tools}` : ''}`),
    { requestInit: { headers } },
  );
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return {
    client,
    close: () => client.close(),
    async call(name: string, given: object = {}): Promise<ToolAnswer> {
      const result = await client.callTool({ name, arguments: given as Record<string, unknown> });
      const [first] = result.content as { type: string; text: string }[];
      return { text: first!.text, value: result.structuredContent, isError: result.isError === true };
    },
  };
}
