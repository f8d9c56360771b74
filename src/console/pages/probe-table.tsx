import type { ReactNode } from 'react';
import type { FragmentOf } from '../api/graphql.ts';
import type { ProbeParts, ProbesOf } from '../documents/probes.ts';
import { strings } from '../strings.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Table } from '../ui/table.tsx';

const text = strings.probes;

type Component = FragmentOf<typeof ProbesOf>;
type Probe = FragmentOf<typeof ProbeParts>;

/** In the order in which they take effect. */
const probeNames = ['startup', 'readiness', 'liveness'] as const;

/** How the health of instances is checked, and what "running" means without a check. */
export function Probes({ component: { probes, checksPorts }, actions }: ProbesProps) {
  const set = probeNames.flatMap((name) => {
    const probe = probes[name];
    return probe ? [{ name, probe }] : [];
  });
  const without = checksPorts ? text.portsOnly : text.startOnly;
  return (
    <Section title={text.plural} count={set.length} empty={set.length === 0 && without} actions={actions}>
      {set.length > 0 && !probes.readiness && <Notice tone="warn">{without}</Notice>}
      {set.length > 0 && (
        <Table
          label={text.plural}
          columns={text.columns}
          empty=""
          rows={set}
          keyOf={({ name }) => name}
          classes={{ check: 'mono break', every: 'soft' }}
          cells={({ name, probe }) => ({
            name: text.names[name],
            check: checkOf(probe),
            every: text.every(probe.periodSeconds, probe.failureThreshold),
          })}
        />
      )}
    </Section>
  );
}

interface ProbesProps {
  component: Component;
  actions: ReactNode;
}

function checkOf({ http, tcp, grpc, command }: Probe): string {
  if (http) return `${http.scheme} :${http.port}${http.path}`;
  if (grpc) return `gRPC :${grpc.port} ${grpc.service ?? ''}`;
  if (tcp) return `TCP :${tcp.port}`;
  return (command ?? []).join(' ');
}
