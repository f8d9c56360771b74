import { expect, it } from 'vitest';
import { createFiring } from '../../../src/domain/component/timing/fire-operations.ts';
import { runSchedules } from '../../../src/domain/run/schedules/fire-operations.ts';
import { declaredWithRuns, makeDue, rarely } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

// Without workers, so that nothing fires beside the looks of the test.
const trellis = useTrellis({ drivers: [declaredWithRuns] });

it('lists a run before earlier ones, also if the look that started it began before they did', async () => {
  const { appId } = await trellis.createApplication(await trellis.createPlace());
  const { componentId } = await trellis.createComponent(appId, { deploy: true });
  const component = { componentId };
  const input = { component, cron: rarely, command: ['true'], concurrency: 'ALLOW' };
  const { schedule } = await trellis.succeed('createSchedule', input, 'schedule { uid }');
  const runs = async (): Promise<string[]> => {
    const query = 'query($by: ComponentRef!) { component(by: $by) { runs(first: 9) { nodes { uid } } } }';
    const { component: read } = await trellis.data(query, { by: component });
    return read.runs.nodes.map(({ uid }: { uid: string }) => uid);
  };
  const fire = createFiring(trellis.services, runSchedules);
  await makeDue(trellis, schedule.uid, 5_000);
  const early = new Date(Date.now() - 1_000);
  await fire(new Date());
  const [first] = await runs();
  await makeDue(trellis, schedule.uid, 5_000);
  await fire(early);
  expect(await runs()).toEqual([expect.any(String), first]);
});
