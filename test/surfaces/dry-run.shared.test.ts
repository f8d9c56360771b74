import { isInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { issueChain } from '../support/certificates.ts';
import { deleteAsPlanned } from '../support/deletions.ts';
import { type Place, unique } from '../support/fixtures.ts';
import { createTemplate } from '../support/installs.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let appId: number;
beforeAll(async () => {
  place = await trellis.createPlace();
  appId = (await trellis.createApplication(place)).appId;
});

/** Mutations that delete, but a plan of which would say nothing: they take nothing else along. */
const withoutPlan = new Set([
  'removeTeamMember',
  'revokeAccessToken',
  'cancelJob',
  'cancelRun',
  'deleteRole',
]);
const deleting = /^(delete|close|remove|revoke|cancel|uninstall)/;
const acting = /^(rollback|upgrade|install|deploy|start|stop|restart|scale|open(Outer|Inner))/;
const changing =
  /^(add|change)Port|^(create|update)(Http|Tcp)Rule|^updateComponent|^set(Variables|Probes|Autoscaling|Placement)/;

describe('a dry run', () => {
  it('is offered by every mutation that deletes, or changes what components do and what is open', () => {
    const mutations = Object.values(schema.getMutationType()!.getFields()).filter(({ name }) =>
      [deleting, acting, changing].some((names) => names.test(name)),
    );
    expect(mutations.length).toBeGreaterThan(30);
    const without = mutations.filter(({ args: [input] }) => {
      const type = 'ofType' in input!.type ? input!.type.ofType : input!.type;
      return !(isInputObjectType(type) && 'dryRun' in type.getFields());
    });
    expect(without.map(({ name }) => name).sort()).toEqual([...withoutPlan].sort());
  });

  it('of deletePort and closeOuterService lists the rules that are deleted or unpublished', async () => {
    const { componentId } = await trellis.createComponent(appId);
    await trellis.addPort(componentId, 80);
    const port = { at: { component: { componentId }, number: 80 } };
    await trellis.succeed('openOuterService', { port }, 'port { id }');
    const closed = await deleteAsPlanned(trellis, 'closeOuterService', { port }, 'port { isOuter }');
    expect(closed.dryRun.port).toEqual({ isOuter: false });
    expect(closed.done.map((each) => each.split(' ')[0])).toEqual([
      'http_rule.unpublish',
      'port.close_outer',
    ]);
    const again = await deleteAsPlanned(trellis, 'closeOuterService', { port }, 'port { isOuter }');
    expect(again.done).toEqual([]);
    await trellis.succeed('openInnerService', { port }, 'port { id }');
    const inner = await deleteAsPlanned(trellis, 'closeInnerService', { port }, 'port { isInner }');
    expect(inner.done).toHaveLength(1);
    const { done } = await deleteAsPlanned(trellis, 'deletePort', { port }, 'port { number }');
    expect(done.map((each) => each.split(' ')[0])).toEqual([
      'http_rule.delete',
      'domain.release',
      'port.delete',
    ]);
  });

  it('of installApplication lists what the template brings', async () => {
    const { install } = await createTemplate(trellis, appId);
    const selection = 'group { name } job { id } plan { action name }';
    const before = await trellis.counts();
    const planned = await trellis.succeed('installApplication', { ...install, dryRun: true }, selection);
    expect(await trellis.counts()).toEqual(before);
    const { job, plan, group } = await trellis.succeed('installApplication', install, selection);
    expect(planned.group).toEqual(group);
    expect([planned.job, job]).toEqual([null, null]);
    const actions = (of: typeof plan) => of.map(({ action }: { action: string }) => action).sort();
    expect(actions(planned.plan)).toEqual(actions(plan));
    expect(actions(plan)).toEqual(expect.arrayContaining(['application.install', 'component.create']));
  });

  it('of deleteGatewayRule lists the rule', async () => {
    const { componentId } = await trellis.createComponent(appId);
    await trellis.addPort(componentId, 80);
    const domain = `${unique('www')}.example`;
    const { rule } = await trellis.succeed(
      'createHttpRule',
      { application: { appId }, component: { componentId }, portNumber: 80, domain },
      'rule { id }',
    );
    const { done } = await deleteAsPlanned(
      trellis,
      'deleteGatewayRule',
      { rule: { id: rule.id } },
      'component { uid }',
    );
    expect(done[0]).toBe(`http_rule.delete ${domain}`);
  });

  it('of deleteCertificate, deleteVolume and deleteDependency lists what goes', async () => {
    const { chain, key } = await issueChain(['planned.example']);
    const { certificate } = await trellis.succeed(
      'addCertificate',
      { team: { teamId: place.team.teamId }, chain, key },
      'certificate { uid }',
    );
    const dependency = { componentId: (await trellis.createComponent(appId)).componentId };
    const component = await trellis.createComponent(appId, {
      volumes: [{ name: 'data', path: '/data', type: 'local' }],
      dependencies: [dependency],
    });
    const { component: read } = await trellis.data(
      `{ component(by: { componentId: "${component.componentId}" }) { volumes { nodes { id } } } }`,
    );
    const deleted = await deleteAsPlanned(
      trellis,
      'deleteCertificate',
      { certificate: { certificateId: certificate.uid } },
      'certificate { uid }',
    );
    expect(deleted.done).toEqual(['certificate.delete planned.example']);
    const volume = { id: read.volumes.nodes[0].id };
    const unmounted = await deleteAsPlanned(trellis, 'deleteVolume', { volume }, 'volume { name }');
    expect(unmounted.done).toEqual(['volume.delete data']);
    const pair = { component: { componentId: component.componentId }, dependency };
    const undone = await deleteAsPlanned(trellis, 'deleteDependency', pair, 'component { uid }');
    expect(undone.done).toHaveLength(1);
    const again = await deleteAsPlanned(trellis, 'deleteDependency', pair, 'component { uid }');
    expect(again.done).toEqual([]);
  });
});
