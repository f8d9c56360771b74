import { expect, it } from 'vitest';
import type { Transaction } from '../../src/db/open.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

/** Each change of a request is made, undone and made again, as after a deadlock. */
async function undoingOnce<T>(request: () => Promise<T>): Promise<{ result: T; undone: number }> {
  const { db } = trellis.services;
  const { transaction } = db;
  let undone = 0;
  db.transaction = async <R>(work: (tx: Transaction) => Promise<R>, signal?: AbortSignal) => {
    if (!signal) return transaction(work);
    const deadlock = new Error('deadlock');
    const first = transaction(async (tx) => {
      await work(tx).catch((error) => {
        // A dry run undoes its own.
        if (error instanceof Error) throw error;
      });
      throw deadlock;
    }, signal);
    await first.catch((error) => {
      if (error !== deadlock) throw error;
      undone++;
    });
    return transaction(work, signal);
  };
  return request()
    .then((result) => ({ result, undone }))
    .finally(() => {
      db.transaction = transaction;
    });
}

it.each([true, false])(
  'the plan of a change that is made again lists each object once (dryRun: %s)',
  async (dryRun) => {
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    for (let each = 0; each < 2; each++) await trellis.createComponent(appId);
    const remove = (isDryRun: boolean) =>
      trellis.data(
        `mutation($appId: Int!, $dryRun: Boolean) {
        deleteApplication(input: { application: { appId: $appId }, dryRun: $dryRun }) {
          ... on DeleteApplicationPayload { plan { action objectType objectUid } } ... on Error { message } } }`,
        { appId, dryRun: isDryRun },
      );
    const expected = (await remove(true)).deleteApplication.plan;
    expect(expected.length).toBeGreaterThan(2);
    const { result, undone } = await undoingOnce(() => remove(dryRun));
    // Its dry run only reads.
    expect(undone).toBe(dryRun ? 0 : 1);
    expect(result.deleteApplication.plan).toEqual(expected);
  },
);
