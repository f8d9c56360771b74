import { Section } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { groupBy } from '../ui/group-by.ts';
import { text as texts } from './strings.ts';
import { type Check, useCheck } from './use-check.ts';

const text = texts.check;

/** The answer of the cluster of a kubeconfig, while it is typed. */
export function KubeconfigCheck({ region, kubeconfig }: { region?: string; kubeconfig: string }) {
  const state = useCheck({ region, kubeconfig });
  if (!kubeconfig.trim()) return null;
  return (
    <div role="status" className="check-result">
      <Answer {...state} />
    </div>
  );
}

/** The answer of the cluster of a region, which can be asked again. */
export function RegionCheck({ name }: { name: string }) {
  const state = useCheck({ region: name });
  return (
    <Section
      title={text.title}
      actions={
        <Button look="small" disabled={state.isChecking} onClick={state.again}>
          {text.again}
        </Button>
      }
    >
      <div role="status" className="card check-result">
        <Answer {...state} />
      </div>
    </Section>
  );
}

function Answer({ check, failure, isChecking }: ReturnType<typeof useCheck>) {
  if (isChecking) return <p className="soft">{text.checking}</p>;
  if (failure) {
    const [issue] = failure.issues;
    return <Line tone="bad">{issue ? `${text.failed} ${issue.message}.` : failure.message}</Line>;
  }
  return check ? <Found check={check} /> : null;
}

function Found({ check }: { check: Check }) {
  const { url, version, problem, isReachable, hasGatewayApi, hasMetrics, hasCertManager } = check;
  if (problem !== null || version === null) {
    return (
      <Line tone="bad">
        {isReachable ? text.refused(url) : text.unreachable(url)} {problem}
      </Line>
    );
  }
  const missing = check.rights.filter(({ isAllowed }) => !isAllowed);
  return (
    <>
      <Line tone="good">{text.reachable(version, url)}</Line>
      {missing.length === 0 ? (
        <Line tone="good">{text.mayAll}</Line>
      ) : (
        <Line tone="bad">
          {text.missing(missing.length)} {byResource(missing).join('; ')}.
        </Line>
      )}
      <Line tone={hasGatewayApi ? 'good' : 'idle'}>{hasGatewayApi ? text.gateways : text.noGateways}</Line>
      <Line tone={hasCertManager ? 'good' : 'idle'}>
        {hasCertManager ? text.certManager : text.noCertManager}
      </Line>
      <Line tone={hasMetrics ? 'good' : 'idle'}>{hasMetrics ? text.metrics : text.noMetrics}</Line>
    </>
  );
}

/** `get, list secrets`: a resource is missing with all that is done with it more often than not. */
function byResource(rights: Check['rights']): string[] {
  const nameOf = ({ group, resource }: (typeof rights)[number]) =>
    group ? `${resource}.${group}` : resource;
  return groupBy(rights, nameOf).map(([name, all]) =>
    text.rights(
      name,
      all.map(({ verb }) => verb),
    ),
  );
}

const Line = ({ tone, children }: { tone: 'good' | 'bad' | 'idle'; children: React.ReactNode }) => (
  <p className={`check-line tone-${tone}`}>
    <span>{children}</span>
  </p>
);
