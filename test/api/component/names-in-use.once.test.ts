import { expect, it } from 'vitest';
import { planOf } from '../../support/plan.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

it('finds the additional names of ports without looking at the ports that have none', async () => {
  const { appId } = await trellis.createApplication(await trellis.createPlace());
  trellis.statements.length = 0;
  await trellis.createComponent(appId);
  const texts = trellis.statements.filter((text) => text.startsWith('SELECT p.additional_name'));
  expect(texts).toHaveLength(1);
  expect(await planOf(trellis, texts[0]!)).toMatch(/port_additional_name_idx/);
});
