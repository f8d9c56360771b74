import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readBytes } from '../../src/http/body.ts';

describe('a body in single bytes', () => {
  it('takes the memory of its bytes, and not of its parts', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const req = Object.assign(new EventEmitter(), { headers: {} });
    const body = readBytes(req as IncomingMessage, 100_000);
    const parts: WeakRef<Buffer>[] = [];
    for (let index = 0; index < 10_000; index++) {
      const part = Buffer.from(index % 2 === 0 ? 'a' : 'b');
      parts.push(new WeakRef(part));
      req.emit('data', part);
    }
    // References that were made in this turn are kept until it ends.
    await new Promise(setImmediate);
    collectGarbage();
    expect(parts.filter((part) => part.deref()).length).toBeLessThan(1_000);
    req.emit('end');
    expect((await body).toString()).toBe('ab'.repeat(5_000));
  });
});
