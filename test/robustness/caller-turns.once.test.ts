import { expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

it('requests of one user that take long leave turns to others', async () => {
  const { team } = await trellis.createPlace();
  const { token } = await trellis.createMember(team.teamId, 'VIEWER');
  // Each field is compared with all others.
  const slow = (index: number) => `{ ${'viewer { user { uid } } '.repeat(250)} x${index} }`;
  let answered = 0;
  let tellFirst = () => {};
  const first = new Promise<void>((resolve) => {
    tellFirst = resolve;
  });
  const many = Array.from({ length: 24 }, async (_, index) => {
    await send(trellis, { body: JSON.stringify({ query: slow(index) }), token });
    answered++;
    tellFirst();
  });
  await first;
  const body = '{"query":"{ viewer { isAdministrator } }"}';
  const answers = await Promise.all([
    send(trellis, { body }),
    send(trellis, { path: '/healthz', token: null }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answered).toBeLessThan(12);
  await Promise.all(many);
});
