import { describe, expect, it } from 'vitest';
import {
  mayApply,
  mayClaim,
  mayRenew,
  maySettle,
  mayStart,
  mayTakeOver,
  msLeft,
  noLease,
} from '../../src/db/work/protocol.ts';
import { preconditionOf } from '../../src/drivers/region/kubernetes/write/fence.ts';
import { type Scene, search } from '../support/work-protocol/search.ts';
import type { Decisions } from '../support/work-protocol/world.ts';

const decisions: Decisions = { mayApply, mayRenew, maySettle, mayStart, mayTakeOver, msLeft, preconditionOf };
const scene: Scene = { actions: ['apply', 'apply'], ticks: 2, looksAtRemovals: true, isThere: false };

/**
 * Two gateways work on two jobs of one component. Each may take work, renew its lease, lose the database, be suspended, send the
 * next request and give up at any time, and requests arrive at the cluster in any order, however late.
 */
describe('every order of the steps of two gateways', () => {
  it.each<[string, Partial<Scene>, number]>([
    ['a component is deployed twice', {}, 21_588],
    ['a component that is there is deployed again', { isThere: true }, 9_369],
    ['a component is deployed and removed', { actions: ['apply', 'remove'] }, 26_124],
    ['a component is removed and deployed again', { actions: ['remove', 'apply'], isThere: true }, 22_827],
  ])('keeps the latest job in the cluster when %s', (_, given, states) => {
    const found = search(decisions, { ...scene, ...given });
    expect(found).toEqual({ states, violation: null, succeeded: new Set([1, 2]) });
  });
});

describe('the search', () => {
  const always = () => true;
  const noPrecondition = () => ({});

  it.each<[string, Partial<Decisions>]>([
    ['work is taken from a process that holds it', { mayTakeOver: always }],
    ['work starts while other work on the component is held', { mayStart: always }],
    ['a lease is renewed that another process has taken over', { mayRenew: always }],
    ['the outcome of work counts that another process has taken over', { maySettle: always }],
    ['a process goes on after its lease has ended', { msLeft: () => 1 }],
    ['an older job is applied over a newer one', { mayApply: always }],
    ['the cluster compares nothing', { preconditionOf: noPrecondition }],
    ['there is no fence', { mayApply: always, preconditionOf: noPrecondition }],
  ])('finds what goes wrong when %s', (_, falsified) => {
    expect(search({ ...decisions, ...falsified }, scene).violation).not.toBeNull();
  });

  it('finds what goes wrong when a workload is created without a look at removals', () => {
    const given: Scene = { ...scene, actions: ['apply', 'remove'], looksAtRemovals: false };
    expect(search(decisions, given).violation).toBe('job 1 is applied after job 2');
  });
});

describe('a region', () => {
  const self = 'self';
  const of = (owner: string, untilMs: number) => ({ owner, untilMs });

  it.each([
    ['nobody looks after it', noLease, true],
    ['another process does', of('other', 11), false],
    ['another process has not renewed its lease', of('other', 10), true],
    ['the process does already', of(self, 15), true],
    ['the lease is of before the clock was set back', of('other', 21), true],
    ['a lease ends as late as it can', of('other', 20), false],
  ])('may be looked after by a process, or not, if %s', (_, lease, may) => {
    expect(mayClaim(lease, self, 10, 20)).toBe(may);
  });
});
