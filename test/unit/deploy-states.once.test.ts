import { describe, expect, it } from 'vitest';
import { applicationStatusFor, statusRules } from '../../src/domain/application/status-model.ts';
import {
  type DeployAction,
  deployStates,
  initialDeployState,
  nextDeployState,
} from '../../src/domain/component/model.ts';

const actions: DeployAction[] = ['deploy', 'start', 'stop', 'restart', 'scale', 'drop'];

describe('the deploy states', () => {
  it('allow the actions that each state lists, and no other', () => {
    const moves = Object.keys(deployStates).map((state) => [
      state,
      ...actions.map((action) => nextDeployState(state, action) ?? null),
    ]);
    expect(moves).toEqual([
      ['undeploy', 'running', null, null, null, 'undeploy', 'closed'],
      ['running', 'running', null, 'closed', 'running', 'running', 'closed'],
      ['closed', 'running', 'running', null, null, 'closed', null],
    ]);
  });

  it('start as deployed or undeployed', () => {
    expect([initialDeployState(true), initialDeployState(false)]).toEqual(['running', 'undeploy']);
  });
});

describe('the statuses of applications', () => {
  const states = Object.keys(deployStates);
  const fitting = (present: readonly string[]) =>
    Object.entries(statusRules).flatMap(([status, { some, none }]) =>
      some.every((each) => each.some((state) => present.includes(state))) &&
      !none.some((state) => present.includes(state))
        ? [status]
        : [],
    );

  it('name every deploy state, and fit one for every set of them', () => {
    const named = Object.values(statusRules).flatMap(({ some, none }) => [...some.flat(), ...none]);
    expect(new Set(named)).toEqual(new Set(states));
    for (let set = 0; set < 2 ** states.length; set++) {
      const present = states.filter((_, index) => set & (1 << index));
      expect(fitting(present), present.join()).toEqual([applicationStatusFor(new Set(present))]);
    }
  });
});
