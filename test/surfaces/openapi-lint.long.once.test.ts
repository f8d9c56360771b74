import { describe, expect, it } from 'vitest';
import { lintOpenapi } from '../support/lint-openapi.ts';
import { document } from '../support/openapi.ts';
import { operationsOpenapi } from '../support/operations-rest.ts';

describe('the OpenAPI document', () => {
  it('passes the strict rules', () => {
    expect(lintOpenapi(document)).toEqual({ status: 0, findings: [] });
  });

  it('would fail the rules with a worse document', () => {
    const worse = structuredClone(document);
    delete worse.paths['/teams'].get.operationId;
    worse.paths['/teams/{team}/regions'] = worse.paths['/teams/{team_id}/regions'];
    const { status, findings } = lintOpenapi(worse);
    expect(status).not.toBe(0);
    expect(findings.map(({ ruleId }) => ruleId)).toContain('operation-operationId');
  });
});

describe('the OpenAPI document of the operations', () => {
  it('passes the strict rules', () => {
    expect(lintOpenapi(operationsOpenapi)).toEqual({ status: 0, findings: [] });
  });
});
