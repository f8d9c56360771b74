import { expect, it } from 'vitest';
import { isList, most, mostLists, requestsOfMany } from '../support/kubernetes/request-counts.ts';

it('the Kubernetes driver sends as many requests for each of 250 components', async () => {
  // The server in memory looks at everything in each step, so that more take too long.
  const count = 250;
  const { deploy, removal } = await requestsOfMany(count);
  expect(deploy.length).toBeLessThanOrEqual(most.deploy * count);
  expect(removal.length).toBeLessThanOrEqual(most.removal * count);
  expect(deploy.filter(isList).length).toBeLessThanOrEqual(mostLists(count));
  expect(removal.filter(isList).length).toBeLessThanOrEqual(mostLists(count));
}, 900_000);
