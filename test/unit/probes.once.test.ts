import type { ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { createProbes } from '../../src/http/probes.ts';
import { createLog } from '../../src/kernel/log.ts';

function createResponse() {
  const statuses: number[] = [];
  const res = {
    writeHead: (status: number) => void statuses.push(status),
    end: () => {},
    getHeader: () => 'id',
  } as unknown as ServerResponse;
  return { res, statuses };
}

it('asks the database once for all readiness checks that come meanwhile', async () => {
  let answer: (error?: Error) => void = () => {};
  const ping = vi.fn(
    () =>
      new Promise<void>((resolve, reject) => {
        answer = (error) => (error ? reject(error) : resolve());
      }),
  );
  const log = createLog('silent');
  const logged = vi.spyOn(log, 'error');
  const probes = createProbes(ping, log);
  const { res, statuses } = createResponse();
  for (const [error, status] of [
    [undefined, 200],
    [new Error('away'), 503],
  ] as const) {
    ping.mockClear();
    const checks = Array.from({ length: 100 }, () => probes.answer(res, '/readyz'));
    answer(error);
    await Promise.all(checks);
    expect(ping).toHaveBeenCalledTimes(1);
    expect(statuses.splice(0)).toEqual(Array(100).fill(status));
  }
  expect(logged).toHaveBeenCalledTimes(1);
});
