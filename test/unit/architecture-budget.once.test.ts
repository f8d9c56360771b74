import { describe, expect, it } from 'vitest';
import { sources, textOf } from '../support/imports.ts';

/** The command line and the console run at the caller's, and the commands and the build for the operator. */
const files = sources.filter((file) => !/^(cli|console|commands|build)\//.test(file));

const filesWith = (pattern: RegExp) => files.filter((file) => pattern.test(textOf(file))).sort();

/** Reads JSON texts outside of requests, or small ones. Each with its reason. */
const parsers: { [file: string]: string } = {
  'graphql/server/parameters.ts': 'the body of a request, or its address',
  'graphql/trusted/read.ts': 'a file of the operator',
  'http/auth/sealed.ts': 'a cookie',
  'http/body.ts': 'the body of a request',
  'http/console.ts': 'a file of the build',
  'idempotency/request.ts': 'a stored answer, whose length is limited',
  'kernel/large-json.ts': 'a text with which the request is charged',
  'kernel/page.ts': 'a cursor, which is a parameter of the request',
  'kernel/source-lines.ts': 'a source map of the build',
  'kernel/stored-value.ts': 'the stored result of a change',
  'mcp/result.ts': 'an answer with which the request was charged',
  'mcp/server.ts': 'an error',
  'mcp/tools.ts': 'the schema of an operation',
  'operations/arguments.ts': 'a parameter in the address of a request',
  'operations/call.ts': 'an answer with which the request was charged',
};

describe('the budget of a request', () => {
  it('is made where a request is accepted, for an item of a stream, and for the document of a webhook', () => {
    expect(filesWith(/new RequestBudget\(/)).toEqual([
      'domain/webhook/delivery/document-operations.ts',
      'http/authentication.ts',
    ]);
    expect(filesWith(/new SharedMemory\(/)).toEqual([
      'app.ts',
      'domain/webhook/delivery/document-operations.ts',
      // What waits for subscribers.
      'live/feeds.ts',
    ]);
  });

  it('is charged with every body, which is read in one place', () => {
    expect(filesWith(/\breadBytes\(/)).toEqual(['http/body.ts', 'http/requests.ts']);
    expect(textOf('http/requests.ts')).toMatch(/countBody\(/);
  });

  it('is charged with the time of threads, all but the one that works for the database', () => {
    expect(filesWith(/node:worker_threads/)).toEqual(['db/sqlite/checkpoints.ts', 'kernel/task-threads.ts']);
    expect(textOf('kernel/task-threads.ts')).toMatch(/countThread\(/);
  });

  it('is charged with what is parsed as YAML, which a thread does', () => {
    // A kubeconfig is given by administrators. It has no aliases and few tokens.
    // The conversion of Compose files runs on the computer of its user.
    expect(filesWith(/(?:from|import\()\s*'yaml'/)).toEqual([
      'convert/places.ts',
      'convert/yaml.ts',
      'drivers/region/kubernetes/cluster/kubeconfig.ts',
    ]);
    expect(filesWith(/yaml-thread\.mjs/)).toEqual(['domain/manifest/yaml-reads.ts', 'kernel/files.ts']);
    expect(textOf('domain/manifest/yaml-reads.ts')).toMatch(/countExpanded\(/);
  });

  it('is charged with JSON that can be large', () => {
    const elsewhere = filesWith(/\bJSON\.parse\(/).filter((file) => !/^(domain|drivers|db)\//.test(file));
    expect(elsewhere).toEqual(Object.keys(parsers).sort());
    // Templates have megabytes.
    expect(filesWith(/JSON\.parse\(\s*(?:await\s+)?(?:openLarge|openMany)\(/)).toEqual([]);
    expect(filesWith(/\bparseTemplate\(/)).toEqual([
      'drivers/app-store/http.ts',
      'drivers/app-store/template.ts',
    ]);
    expect(textOf('drivers/app-store/shared.ts')).toMatch(/countJson\(/);
  });

  it('is charged with what is read for the request, in transactions as well', () => {
    const scoped = textOf('db/scoped.ts');
    expect(scoped).toMatch(/scoped\.query = [\s\S]*\bdb\.query\([^)]*\bcountRow\b/);
    expect(scoped).toMatch(/scoped\.transaction = [^;]*\bbudget\b/);
    // Contexts of requests have the database of the request, and no other.
    expect(filesWith(/\bscopedTo\(/)).toEqual([
      'db/scoped.ts',
      'domain/webhook/delivery/document-operations.ts',
      'http/authentication.ts',
    ]);
  });
});
