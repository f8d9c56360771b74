import { useView } from '../api/view.ts';
import { ApplicationRulesQuery } from '../documents/application.ts';
import { ApplicationFrame } from './application-head.tsx';
import { RuleTable } from './rule-table.tsx';

export function ApplicationRulesPage({ appId }: { appId: number }) {
  const view = useView(ApplicationRulesQuery, { by: { appId } });
  return (
    <ApplicationFrame appId={appId} tab="rules" view={view}>
      {({ gatewayRules }) => <RuleTable rules={gatewayRules} />}
    </ApplicationFrame>
  );
}
