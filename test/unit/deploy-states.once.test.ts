import { describe, expect, it } from 'vitest';
import {
  applicationStatusFor,
  statusRules,
  type Unhealthy,
} from '../../src/domain/application/status-model.ts';
import {
  componentStatus,
  type DeployAction,
  deployStates,
  initialDeployState,
  nextDeployState,
  unhealthyStatuses,
} from '../../src/domain/component/state-model.ts';

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
  const unhealthy = ['all', 'some', 'none'] as const satisfies Unhealthy[];
  const fitting = (present: readonly string[], has: Unhealthy) =>
    Object.entries(statusRules).flatMap(([status, rule]) =>
      rule.unhealthy === has &&
      rule.some.every((each) => each.some((state) => present.includes(state))) &&
      !rule.none.some((state) => present.includes(state))
        ? [status]
        : [],
    );

  it('name every deploy state, and fit one for every set of them', () => {
    const named = Object.values(statusRules).flatMap(({ some, none }) => [...some.flat(), ...none]);
    expect(new Set(named)).toEqual(new Set(states));
    for (let set = 0; set < 2 ** states.length; set++) {
      const present = states.filter((_, index) => set & (1 << index));
      for (const has of unhealthy) {
        expect(fitting(present, has), present.join()).toEqual([applicationStatusFor(new Set(present), has)]);
      }
    }
  });

  it('have words for what is unhealthy', () => {
    expect(unhealthy.slice(0, 2).map((has) => applicationStatusFor(new Set(['running']), has))).toEqual([
      'abnormal',
      'some_abnormal',
    ]);
    expect(componentStatus.options.filter((status) => unhealthyStatuses[status])).toEqual([
      'abnormal',
      'some_abnormal',
      'build_failure',
    ]);
  });
});
