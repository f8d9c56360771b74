import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRequestsUnderWay } from '../../src/http/requests.ts';

/** Requests that end when they are told to. */
function create(limits: { maxRequests: number; maxActive: number }) {
  const requests = createRequestsUnderWay(limits);
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const run = (each: number) =>
    requests.run(() => {
      begun.push(each);
      return new Promise((resolve) => ends.set(each, resolve));
    });
  const end = async (each: number) => {
    ends.get(each)!();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { requests, begun, run, end };
}

describe('requests under way', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('begin in the order of their arrival, as many at once as are allowed', async () => {
    const { begun, run, end } = create({ maxRequests: 10, maxActive: 2 });
    for (const each of [1, 2, 3, 4, 5]) run(each);
    expect(begun).toEqual([1, 2]);
    await end(2);
    expect(begun).toEqual([1, 2, 3]);
    await end(1);
    await end(3);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
  });

  it('do not wait long for those that wait for something else', async () => {
    const { begun, run } = create({ maxRequests: 10, maxActive: 2 });
    for (const each of [1, 2, 3, 4, 5]) run(each);
    await vi.advanceTimersByTimeAsync(200);
    expect(begun).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(200);
    expect(begun).toEqual([1, 2, 3, 4]);
    await vi.advanceTimersByTimeAsync(400);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
  });

  it('count until their responses are closed', () => {
    const { requests } = create({ maxRequests: 2, maxActive: 1 });
    const responses = [1, 2, 3].map(() => new EventEmitter() as unknown as ServerResponse);
    expect(responses.map((res) => requests.begin(res))).toEqual([true, true, false]);
    responses[0]!.emit('close');
    expect(requests.begin(responses[2]!)).toBe(true);
  });

  it('are settled when all have ended, those that waited as well', async () => {
    const { requests, run, end } = create({ maxRequests: 10, maxActive: 1 });
    run(1);
    run(2);
    let isSettled = false;
    void requests.settled().then(() => {
      isSettled = true;
    });
    await end(1);
    expect(isSettled).toBe(false);
    await end(2);
    expect(isSettled).toBe(true);
  });
});
