import { useView } from '../api/view.ts';
import { ApplicationUpgradesQuery } from '../documents/application.ts';
import { strings } from '../strings.ts';
import { Section, Table } from '../ui/blocks.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ApplicationFrame } from './application-head.tsx';

const text = strings.upgrades;

/** Which templates are installed, what they can be upgraded to, and what was upgraded before. */
export function ApplicationUpgradesPage({ appId }: { appId: number }) {
  const view = useView(ApplicationUpgradesQuery, { application: { appId } });
  return (
    <ApplicationFrame appId={appId} tab="upgrades" view={view}>
      {({ upgrades, upgradeRecords }) => (
        <>
          <Section title={text.installed} count={upgrades.length}>
            <Table label={text.installed} columns={Object.values(text.columns)} empty={text.noneInstalled}>
              {upgrades.map((each) => (
                <tr key={`${each.storeName} ${each.templateId}`}>
                  <td>{each.templateName}</td>
                  <td className="soft">{each.storeName}</td>
                  <td className="mono">{each.currentVersion}</td>
                  <td>
                    {each.upgradeVersions === null ? (
                      <span className="soft">{text.unknown}</span>
                    ) : each.upgradeVersions.length === 0 ? (
                      <span className="soft">{text.newest}</span>
                    ) : (
                      <span className="row wrap">
                        {each.upgradeVersions.map((version) => (
                          <Tag key={version} tone="busy">
                            {version}
                          </Tag>
                        ))}
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          </Section>
          <Section title={text.records} count={upgradeRecords.totalCount}>
            <Table label={text.records} columns={Object.values(text.recordColumns)} empty={text.noRecords}>
              {upgradeRecords.nodes.map((record) => (
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
                </tr>
              ))}
            </Table>
          </Section>
        </>
      )}
    </ApplicationFrame>
  );
}
