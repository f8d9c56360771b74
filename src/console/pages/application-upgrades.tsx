import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { ApplicationUpgradesQuery } from '../documents/application.ts';
import { type Group, GroupActions, rollBackItem, useGroups } from '../store/groups.tsx';
import { text as storeTexts } from '../store/strings.ts';
import { strings } from '../strings.ts';
import { Section, Table } from '../ui/blocks.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ApplicationFrame } from './application-head.tsx';

const text = strings.upgrades;
type Application = NonNullable<ResultOf<typeof ApplicationUpgradesQuery>['application']>;
type Upgrade = Application['upgrades'][number];
type UpgradeRecord = Application['upgradeRecords']['nodes'][number];

/** Which templates are installed, what they can be upgraded to, and what was upgraded before. */
export function ApplicationUpgradesPage({ appId }: { appId: number }) {
  const view = useView(ApplicationUpgradesQuery, { application: { appId } });
  const { groups, mayChange, hasStopped } = useGroups(appId);
  const actions = mayChange ? [storeTexts.actions] : [];
  return (
    <ApplicationFrame appId={appId} tab="upgrades" view={view}>
      {({ upgrades, upgradeRecords }) => (
        <>
          <Section title={text.installed} count={groups.length}>
            <Table
              label={text.installed}
              columns={[...Object.values(text.columns), ...actions]}
              empty={text.noneInstalled}
            >
              {groups.map((group) => {
                const upgrade = upgrades.find(({ templateId }) => templateId === group.templateId);
                return (
                  <tr key={group.id}>
                    <td>{group.name}</td>
                    <td className="soft">{upgrade?.storeName ?? '–'}</td>
                    <td className="mono">{group.templateVersion ?? '–'}</td>
                    <td>{upgrade ? <Offered upgrade={upgrade} /> : <span className="soft">–</span>}</td>
                    {mayChange && (
                      <td>
                        <GroupActions group={group} hasStopped={hasStopped} />
                      </td>
                    )}
                  </tr>
                );
              })}
            </Table>
          </Section>
          <Section title={text.records} count={upgradeRecords.totalCount}>
            <Table
              label={text.records}
              columns={[...Object.values(text.recordColumns), ...actions]}
              empty={text.noRecords}
            >
              {upgradeRecords.nodes.map((record) => {
                const group = groupToRollBack(record, upgradeRecords.nodes, groups);
                return (
                  <tr key={record.id}>
                    <td>{record.group.name}</td>
                    <td>{text.kinds[record.kind]}</td>
                    <td className="mono">
                      {record.fromVersion} → {record.toVersion}
                    </td>
                    <td className="soft">{record.user?.nickName ?? record.user?.email}</td>
                    <td className="soft">
                      <Time at={record.at} />
                    </td>
                    {mayChange && (
                      <td>
                        {group && <ActionBar isSmall items={present(rollBackItem(group, hasStopped))} />}
                      </td>
                    )}
                  </tr>
                );
              })}
            </Table>
          </Section>
        </>
      )}
    </ApplicationFrame>
  );
}

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
