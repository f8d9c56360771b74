import { afterEach, describe, expect, it } from 'vitest';
import { RequestBudget } from '../../src/kernel/budget.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { SharedMemory } from '../../src/kernel/memory.ts';
import { TaskThreads } from '../../src/kernel/task-threads.ts';

/** Answers with the task and what it was given before, never to `endless`, and ends at `end`. */
const code = `
  import { parentPort } from 'node:worker_threads';
  const done = [];
  parentPort.on('message', (task) => {
    done.push(task);
    if (task === 'endless') for (;;);
    if (task === 'end') process.exit(1);
    parentPort.postMessage({ answer: done, ms: task === 'long' ? 100 : 1 });
  });
  parentPort.postMessage('ready');
`;
const create = (text = code, most = 1) =>
  new TaskThreads<string, string[]>(new URL(`data:text/javascript,${encodeURIComponent(text)}`), {}, most);

const budgets: RequestBudget[] = [];
afterEach(() => {
  for (const budget of budgets.splice(0)) budget.end(true);
});
const budgetOf = (threadMs: number) => {
  const memory = new SharedMemory(Number.POSITIVE_INFINITY);
  const budget = new RequestBudget({ ...defaultLimits, threadMs }, memory);
  budgets.push(budget);
  return budget;
};
const user = (userId: string, { budget, signal }: { budget?: RequestBudget; signal?: AbortSignal } = {}) => ({
  userId,
  budget,
  signal,
});

describe('a thread', () => {
  it('does the tasks of users in turns', async () => {
    const thread = create();
    const first = ['a1', 'a2', 'a3', 'a4'].map((task) => thread.run(task, user('a')));
    const other = ['b1', 'b2'].map((task) => thread.run(task, user('b')));
    await Promise.all(first);
    expect(await Promise.all(other)).toEqual([
      ['a1', 'b1'],
      ['a1', 'b1', 'a2', 'b2'],
    ]);
  });

  it('does not begin what nobody waits for any more', async () => {
    const thread = create();
    const { signal, abort } = abortable();
    const first = thread.run('a1', user('a'));
    const left = ['a2', 'a3'].map((task) => thread.run(task, user('a', { signal })));
    abort();
    await expect(Promise.all(left)).rejects.toBe(reason);
    await first;
    await expect(thread.run('a4', user('a', { signal }))).rejects.toBe(reason);
    expect(await thread.run('b1', user('b'))).toEqual(['a1', 'b1']);
  });

  it('is renewed when nobody waits for what it does', async () => {
    const thread = create();
    await thread.run('a1', user('a'));
    const { signal, abort } = abortable();
    const endless = thread.run('endless', user('a', { signal }));
    const next = thread.run('b1', user('b'));
    abort();
    await expect(endless).rejects.toBe(reason);
    expect(await next).toEqual(['b1']);
  });

  it('is not renewed for what is soon done', async () => {
    const thread = create();
    await thread.run('a1', user('a'));
    const { signal, abort } = abortable();
    const left = thread.run('a2', user('a', { signal }));
    const next = thread.run('b1', user('b'));
    abort();
    await expect(left).rejects.toBe(reason);
    expect(await next).toEqual(['a1', 'a2', 'b1']);
  });

  it('starts once for those who leave while it starts', async () => {
    let starts = 0;
    const counted = create(`${code}\nnew BroadcastChannel('starts').postMessage(1);`);
    const starting = new BroadcastChannel('starts');
    starting.onmessage = () => starts++;
    for (let index = 0; index < 5; index++) {
      const { signal, abort } = abortable();
      const left = counted.run(`a${index}`, user('a', { signal }));
      abort();
      await expect(left).rejects.toBe(reason);
    }
    expect(await counted.run('b1', user('b'))).toEqual(['b1']);
    expect(await counted.run('b2', user('b'))).toEqual(['b1', 'b2']);
    starting.close();
    expect(starts).toBe(1);
  });

  it('is renewed when a task takes longer than its request may', async () => {
    const thread = create();
    const budget = budgetOf(150);
    const endless = thread.run('endless', user('a', { budget }));
    const next = thread.run('b1', user('b'));
    await expect(endless).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'LIMIT_THREAD_MS' });
    expect(await next).toEqual(['b1']);
  });

  it('charges the request with its time', async () => {
    const thread = create();
    const budget = budgetOf(150);
    await thread.run('long', user('a', { budget }));
    expect(budget.threadMsLeft).toBe(50);
    await expect(thread.run('long', user('a', { budget }))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await thread.run('b1', user('b'))).toEqual(['long', 'long', 'b1']);
  });

  it('does the next task when one has ended it', async () => {
    const thread = create();
    const [ended, next] = [thread.run('end', user('a')), thread.run('a1', user('a'))];
    expect(await ended).toBeUndefined();
    expect(await next).toEqual(['a1']);
  });

  it('reports that it does not start', async () => {
    await expect(create('throw new Error("broken")').run('a1', user('a'))).rejects.toThrow('broken');
  });
});

describe('several threads', () => {
  it('let no user wait for a task of another', async () => {
    const threads = create(code, 2);
    const { signal, abort } = abortable();
    const endless = ['endless', 'a1'].map((task) => threads.run(task, user('a', { signal })));
    expect(await threads.run('b1', user('b'))).toEqual(['b1']);
    // Each user has one at a time, so that this one waits for nobody either.
    expect(await threads.run('c1', user('c'))).toContain('c1');
    abort();
    await expect(Promise.all(endless)).rejects.toBe(reason);
    expect(await threads.run('b2', user('b'))).toContain('b2');
  });

  it('stay while one of them is busy', async () => {
    const threads = create(code, 2);
    const { signal, abort } = abortable();
    const endless = threads.run('endless', user('a', { signal }));
    expect(await threads.run('b1', user('b'))).toEqual(['b1']);
    expect(await threads.run('b2', user('b'))).toEqual(['b1', 'b2']);
    abort();
    await expect(endless).rejects.toBe(reason);
  });
});

const reason = new Error('left');
function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(reason) };
}
