import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

// Every request is a slow one.
const trellis = useTrellis({ slowRequestMs: 0.001 });

/** The line of the slow request that `work` makes. */
async function slowLine(work: () => Promise<unknown>): Promise<Record<string, any>> {
  trellis.logged.length = 0;
  await work();
  return vi.waitFor(() => {
    const line = trellis.logged.find(({ msg }) => msg === 'slow request');
    expect(line).toBeDefined();
    return line!;
  });
}

describe('the log of slow requests', () => {
  it('names the operation, its document and its reads', async () => {
    const query = 'query Slow($name: String!) { team(by: { name: $name }) { members { nodes { id } } } }';
    await trellis.data('mutation { createTeam(input: { name: "secretive", alias: "x" }) { __typename } }');
    const line = await slowLine(() => trellis.graphql(query, { name: 'secretive' }));
    expect(line).toMatchObject({
      level: 40,
      operationName: 'Slow',
      documentHash: createHash('sha256').update(query).digest('hex'),
      requestId: expect.any(String),
      durationMs: expect.any(Number),
    });
    expect(line.statementCount).toBe(line.statements.length);
    expect(line.statements.length).toBeGreaterThan(1);
    for (const { text, count, ms } of line.statements) {
      expect(text).toMatch(/^SELECT/);
      expect(count).toBe(1);
      expect(ms).toBeGreaterThan(0);
    }
    expect(JSON.stringify(line)).not.toContain('secretive');
  });

  it('has the statements of transactions, equal ones together, and no values', async () => {
    const create = (name: string) =>
      `createTeam(input: { name: "${name}", alias: "Alias of ${name}" }) { __typename }`;
    const line = await slowLine(() =>
      trellis.data(`mutation { a: ${create('hidden-a')} b: ${create('hidden-b')} }`),
    );
    const inserts = line.statements.filter(({ text }: { text: string }) =>
      /INSERT INTO \S*team\W/.test(text),
    );
    expect(inserts).toMatchObject([{ count: 2 }]);
    const counts = line.statements.map(({ count }: { count: number }) => count);
    expect(line.statementCount).toBe(counts.reduce((sum: number, count: number) => sum + count, 0));
    expect(JSON.stringify(line)).not.toMatch(/hidden|Alias of/);
  });

  it('has REST requests, by the id of their operation', async () => {
    const line = await slowLine(() =>
      fetch(`${trellis.url}/openapi/v1/teams`, { headers: { Authorization: trellis.adminToken } }),
    );
    expect(line.operationName).toBe('listTeams');
    expect(line.documentHash).toBeUndefined();
    expect(line.statements.length).toBeGreaterThan(0);
  });

  it('is bounded', async () => {
    const create = (index: number) =>
      `a${index}: createTeam(input: { name: "bounded-${index}", alias: "x" }) { __typename }`;
    const aliases = Array.from({ length: 60 }, (_, index) => create(index));
    const line = await slowLine(() => trellis.graphql(`mutation { ${aliases.join('\n')} }`));
    expect(line.statementCount).toBeGreaterThan(200);
    expect(line.statements.length).toBeLessThanOrEqual(20);
    for (const { text } of line.statements) expect(text.length).toBeLessThanOrEqual(501);
  });
});
