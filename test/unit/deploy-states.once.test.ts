import { describe, expect, it } from 'vitest';
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

  it('begin with one that is deployed or not', () => {
    expect([initialDeployState(true), initialDeployState(false)]).toEqual(['running', 'undeploy']);
  });
});
