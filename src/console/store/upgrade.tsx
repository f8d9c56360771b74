import { useState } from 'react';
import { dialogOf } from '../act/dialog.tsx';
import { MessageDialog } from '../act/dialog-frame.tsx';
import { startStoppedForm } from '../act/items.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useFresh } from '../api/use-fresh.ts';
import { type ApplicationActionsQuery, UpgradesQuery } from '../documents/act-application.ts';
import type { Field, Values } from '../form/values.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';

const text = strings.act;

type Application = NonNullable<ResultOf<typeof ApplicationActionsQuery>['application']>;
type Upgrade = NonNullable<ResultOf<typeof UpgradesQuery>['application']>['upgrades'][number];

export function UpgradeDialog({ application, close }: { application: Application; close(): void }) {
  const by = { appId: application.uid };
  const { data, error, fetching } = useFresh(UpgradesQuery, { by });
  const title = text.titles.upgrade(application.name);
  const offered = (data?.application?.upgrades ?? []).filter((each) => each.upgradeVersions?.length);
  // The offered upgrades stay on the screen while they are carried out.
  const [upgrades, setUpgrades] = useState(offered);
  if (upgrades.length === 0 && offered.length > 0) setUpgrades(offered);
  if (upgrades.length === 0) {
    return (
      <MessageDialog title={title} close={close}>
        {fetching && !data ? (
          <p role="status">{text.askingStores}</p>
        ) : (
          <Notice tone={error ? 'warn' : 'idle'}>{error ? text.storesFailed : text.upToDate}</Notice>
        )}
      </MessageDialog>
    );
  }
  const stopped = startStoppedForm(text.fields.startStoppedIfChanged);
  return dialogOf(close, {
    label: text.upgrade,
    title,
    mutation: 'upgradeApplication',
    plan: 'step',
    form: {
      ...stopped,
      first: [...upgrades.map(fieldOf), ...(application.stopped.totalCount > 0 ? stopped.first : [])],
      also: (values) => ({ upgrades: chosen(upgrades, values) }),
    },
    target: { application: by, expectedRevision: application.revision },
  });
}

const nameOf = ({ storeName, templateId }: Upgrade) => `${storeName} ${templateId}`;

const fieldOf = (upgrade: Upgrade, index: number): Field => ({
  name: nameOf(upgrade),
  path: `upgrades.${index}`,
  label: text.upgradeFrom(upgrade.templateName, upgrade.currentVersion),
  kind: 'select',
  value: upgrade.upgradeVersions?.at(-1) ?? '',
  options: [
    ...[...(upgrade.upgradeVersions ?? [])].reverse().map((value) => ({ value, text: value })),
    { value: '', text: text.keepVersion },
  ],
});

const chosen = (upgrades: readonly Upgrade[], values: Values) =>
  upgrades
    .map((upgrade) => ({ upgrade, version: String(values[nameOf(upgrade)] ?? '') }))
    .filter(({ version }) => version !== '')
    .map(({ upgrade: { storeName, templateId }, version }) => ({ storeName, templateId, version }));
