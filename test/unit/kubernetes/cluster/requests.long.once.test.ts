import { expect, it } from 'vitest';
import { isList, most, mostLists, requestsOfMany } from '../../../support/kubernetes/request-counts.ts';

it('the Kubernetes driver sends as many requests for each of 1,000 components', async () => {
  const count = 1_000;
  const { deploy, removal } = await requestsOfMany(count);
  expect(deploy.length).toBeLessThanOrEqual(most.deploy * count);
  expect(removal.length).toBeLessThanOrEqual(most.removal * count);
  expect(deploy.filter(isList).length).toBeLessThanOrEqual(mostLists(count));
  expect(removal.filter(isList).length).toBeLessThanOrEqual(mostLists(count));
}, 900_000);
