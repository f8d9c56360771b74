import { useQuery } from 'urql';
import { present } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { ApplicationActionsQuery } from '../documents/act-application.ts';
import { ApplicationUpgradesQuery } from '../documents/application.ts';
import { type Group, groupItems, rollBackItem, useGroups } from '../store/groups.tsx';
import { strings } from '../strings.ts';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { upgradeItem } from './actions/application.tsx';
import { ApplicationFrame } from './application-head.tsx';

const text = strings.upgrades;
type Application = NonNullable<ResultOf<typeof ApplicationUpgradesQuery>['application']>;
type Upgrade = Application['upgrades'][number];
type UpgradeRecord = Application['upgradeRecords']['nodes'][number];

/** Which templates are installed, what they can be upgraded to, and what was upgraded before. */
export function ApplicationUpgradesPage({ appId }: { appId: number }) {
  const view = useView(ApplicationUpgradesQuery, { by: { appId } });
  const { groups, mayChange, hasStopped } = useGroups(appId);
  // The same request as that of the actions at the head of the page.
  const [{ data }] = useQuery({ query: ApplicationActionsQuery, variables: { by: { appId } } });
  const application = data?.application;
  return (
    <ApplicationFrame appId={appId} tab="upgrades" view={view}>
      {({ upgrades, upgradeRecords }) => (
        <>
          <Listing
            texts={{ title: text.installed, columns: text.columns, none: text.noneInstalled }}
            list={{ totalCount: groups.length, nodes: groups }}
            classes={{ store: 'soft', version: 'mono' }}
            cells={(group) => {
              const upgrade = upgradeOf(group, upgrades);
              return {
                template: group.name,
                store: upgrade?.storeName ?? '–',
                version: group.templateVersion ?? '–',
                upgrades: upgrade ? <Offered upgrade={upgrade} /> : <span className="soft">–</span>,
              };
            }}
            itemsOf={
              mayChange &&
              ((group) => [
                ...present(
                  application?.mayUpgrade &&
                    (upgradeOf(group, upgrades)?.upgradeVersions ?? []).length > 0 &&
                    upgradeItem(`upgrade ${group.id}`, { application }),
                ),
                ...groupItems(group, hasStopped),
              ])
            }
          />
          <Listing
            texts={{ title: text.records, columns: text.recordColumns, none: text.noRecords }}
            list={upgradeRecords}
            classes={{ versions: 'mono', by: 'soft', at: 'soft' }}
            cells={({ group, kind, fromVersion, toVersion, user, at }) => ({
              group: group.name,
              kind: text.kinds[kind],
              versions: `${fromVersion} → ${toVersion}`,
              by: user?.nickName ?? user?.email,
              at: <Time at={at} />,
            })}
            itemsOf={
              mayChange &&
              ((record) => {
                const group = groupToRollBack(record, upgradeRecords.nodes, groups);
                return present(group && rollBackItem(group, hasStopped));
              })
            }
          />
        </>
      )}
    </ApplicationFrame>
  );
}

const upgradeOf = ({ templateId }: Group, upgrades: readonly Upgrade[]) =>
  upgrades.find((each) => each.templateId === templateId);

function Offered({ upgrade: { upgradeVersions } }: { upgrade: Upgrade }) {
  if (upgradeVersions === null) return <span className="soft">{text.unknown}</span>;
  if (upgradeVersions.length === 0) return <span className="soft">{text.newest}</span>;
  return (
    <span className="row wrap">
      {[...upgradeVersions].reverse().map((version) => (
        <Tag key={version} tone="busy">
          {version}
        </Tag>
      ))}
    </span>
  );
}

/** A group can only be brought back to the version before its last upgrade that was not taken back. */
function groupToRollBack(
  record: UpgradeRecord,
  records: readonly UpgradeRecord[],
  groups: readonly Group[],
): Group | undefined {
  const group = groups.find(({ id }) => id === record.group.id);
  const last = records.find(
    (each) => each.group.id === record.group.id && each.kind === 'UPGRADE' && each.rollback === null,
  );
  return last?.id === record.id ? group : undefined;
}
