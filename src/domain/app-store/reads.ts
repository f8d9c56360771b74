import type { Context } from '../../context.ts';
import { batchedRow, batchedRows, type List } from '../../db/list.ts';
import { fieldsOf } from '../../db/query/decode.ts';
import type { Part, Row } from '../../db/tables.ts';
import type { OfferedVersion, StoreCaller } from '../../drivers/app-store/shared.ts';
import { callerId } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { ApiError } from '../../kernel/errors.ts';
import { numericId } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { compareVersions, isNewerThan } from '../../kernel/version.ts';
import { wholeApplication } from '../application/reads.ts';
import { ofWholeApplications } from '../team/visible-reads.ts';
import { keepOffered, type OfferedGroup } from './offered-reads.ts';

const storeById = batchedRow('StoreConnection', 'id');
const groupsOfApplication = batchedRows('ComponentGroup', 'applicationId', undefined, [
  'id',
  'applicationId',
  'name',
  'templateId',
  'templateVersion',
  'offeredVersion',
  'storeId',
]);

/** A template that is installed in an application. One entry, even if it is installed more than once. */
export interface InstalledTemplate {
  applicationId: number;
  store: Row<'StoreConnection'>;
  templateId: string;
  name: string;
  /** The lowest installed version. */
  currentVersion: string;
  groupIds: number[];
  groups: OfferedGroup[];
}

/** The templates that are installed in an application, in order of installation. None for those who see only a part of it. */
export async function installedTemplates(
  context: Context,
  applicationId: number,
): Promise<InstalledTemplate[]> {
  if (context.actor.isPartial && !(await wholeApplication(context, applicationId))) return [];
  const groups = (await groupsOfApplication(context, applicationId)).filter(
    (group) => group.templateId !== null && group.storeId !== null,
  );
  const installed = groupBy(
    groups.sort((one, other) => one.id - other.id),
    (group) => `${group.storeId} ${group.templateId}`,
  );
  return Promise.all(
    [...installed.values()].map(async (same) => {
      const [first] = same;
      const versions = same.map((group) => group.templateVersion ?? '').sort(compareVersions);
      return {
        applicationId,
        store: (await storeById(context, first!.storeId!))!,
        templateId: first!.templateId!,
        name: first!.name,
        currentVersion: versions[0]!,
        groupIds: same.map(({ id }) => id),
        groups: same.map(({ id, offeredVersion }) => ({ id, offeredVersion })),
      };
    }),
  );
}

export const addressOf = ({ seal }: Pick<Context, 'seal'>, store: Row<'StoreConnection'>) => ({
  url: store.url,
  domain: store.domain,
  accessKey: seal.open(store.sealedAccessKey),
});

/** The caller of a store in a request. */
export const callerOf = (
  { actor, signal, budget }: Pick<Context, 'actor' | 'signal' | 'budget'>,
  teamId: string,
): StoreCaller => ({
  teamId,
  callerId: String(callerId(actor)),
  signal,
  budget,
});

type Answer = { versions: readonly OfferedVersion[] } | { failure: unknown };

/** Reads the versions of a template once per request. */
const offered = batched(
  async (context: Context, keys: string[]): Promise<Map<string, Answer>> => {
    const answers = await Promise.all(
      keys.map(async (key): Promise<[string, Answer]> => {
        const [storeId, ...templateId] = key.split(' ');
        try {
          const store = (await storeById(context, Number(storeId)))!;
          const caller = callerOf(context, store.teamId);
          const address = addressOf(context, store);
          return [
            key,
            { versions: await context.drivers.store.versions(caller, address, templateId.join(' ')) },
          ];
        } catch (failure) {
          return [key, { failure }];
        }
      }),
    );
    return new Map(answers);
  },
  { failure: new Error('The app store was not queried.') } as Answer,
);

/** The enabled versions newer than the installed one, in ascending order. Throws if the store does not respond. */
export const upgradeVersionsOf = (context: Context, installed: InstalledTemplate): Promise<string[]> =>
  upgradeVersions(installed, context);

const upgradeVersions = derived(readUpgradeVersions, (_, versions) => lengthOf(versions));

async function readUpgradeVersions(installed: InstalledTemplate, context: Context): Promise<string[]> {
  const answer = await offered(context, `${installed.store.id} ${installed.templateId}`);
  if ('failure' in answer) throw answer.failure;
  keepOffered(context, installed.groups, answer.versions);
  return newerVersions(installed, answer.versions);
}

/** Reads without the cache. */
export async function freshUpgradeVersionsOf(
  context: Context,
  installed: InstalledTemplate,
): Promise<string[]> {
  const { store, templateId } = installed;
  const caller = callerOf(context, store.teamId);
  const versions = await context.drivers.store.freshVersions(caller, addressOf(context, store), templateId);
  keepOffered(context, installed.groups, versions);
  return newerVersions(installed, versions);
}

function newerVersions({ currentVersion }: InstalledTemplate, versions: readonly OfferedVersion[]): string[] {
  const isNewer = isNewerThan(currentVersion);
  return versions
    .filter(({ version, isEnabled }) => isEnabled && isNewer(version))
    .map(({ version }) => version);
}

/** Whether the template can be upgraded. False if the store does not respond. */
export async function canUpgrade(context: Context, installed: InstalledTemplate): Promise<boolean> {
  try {
    return (await upgradeVersionsOf(context, installed)).length > 0;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The records of past upgrades, newest first. */
export const upgradeRecordsOf = ({ actor }: Context, applicationId: number): List<'UpgradeRecord'> => ({
  key: applicationId,
  spec: {
    model: 'UpgradeRecord',
    parent: { field: 'applicationId' },
    order: ['id'],
    descending: true,
    where: ofWholeApplications(actor, 'applicationId'),
  },
});

/** The columns without the template, which is large. */
const recordFields = fieldsOf('UpgradeRecord').filter((field) => field !== 'sealedFromTemplate');
export type UpgradeRecordRow = Part<'UpgradeRecord', (typeof recordFields)[number]>;
export const upgradeRecordById = batchedRow('UpgradeRecord', 'id', recordFields);

const openUpgrades = batchedRows(
  'UpgradeRecord',
  'groupId',
  [
    { field: 'kind', is: 'upgrade' },
    { field: 'rollbackId', is: null },
  ],
  ['id', 'groupId', 'fromVersion'],
);

/** The version before the last upgrade of a group that was not taken back. Null if there is none. */
export async function rollbackVersionOf(context: Context, groupId: number): Promise<string | null> {
  const [last] = (await openUpgrades(context, groupId)).sort((one, other) => other.id - one.id);
  return last?.fromVersion ?? null;
}

export async function visibleUpgradeRecord(context: Context, id: string): Promise<UpgradeRecordRow | null> {
  const number = numericId(id);
  const record = number === undefined ? null : await upgradeRecordById(context, number);
  return (await wholeApplication(context, record?.applicationId ?? 0)) && record;
}
