import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Failure } from '../../src/cli/failure.ts';
import { failureText } from '../../src/cli/show.ts';

it('shows nothing of a failure that could change a terminal, whatever a gateway answers', () => {
  const hostile = '\u001b[2J\u0007\u202e';
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const context = { env: {}, home: '/', stdin, stdout, stderr };
  const place = { line: hostile as never, column: hostile as never };
  const issues = [{ path: [hostile], message: hostile, ...place }];
  for (const told of [{}, { issues }]) {
    const failure = new Failure(hostile, { code: hostile, requestId: hostile, ...told });
    expect(failureText(context, failure)).not.toMatch(/\p{Bidi_Control}|[^\P{Cc}\n]/u);
  }
});
