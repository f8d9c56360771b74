import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientModule } from '../support/client-examples.ts';

const text = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

describe('schema.graphql', () => {
  let lint: (schema: string) => { ruleId: string | null; message: string; line: number }[];
  beforeAll(async () => {
    ({ lint } = await clientModule('tools/lint-graphql.ts'));
  });

  it('passes the recommended and Relay rules', () => {
    expect(lint(text).map(({ ruleId, message, line }) => `${line} ${ruleId} ${message}`)).toEqual([]);
  });

  it('would fail the rules with a worse schema', () => {
    const worse = text.replace(
      'type PageInfo {',
      'type page_info2 {\n  page_info2Name: String\n}\n\ntype PageInfo {',
    );
    expect(lint(worse).length).toBeGreaterThan(0);
  });
});
