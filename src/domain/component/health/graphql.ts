import type { Row } from '../../../db/tables.ts';
import type { Probe, ProbeCheck } from '../../../drivers/region/health.ts';
import {
  grpcCheck,
  httpCheck,
  probe,
  probeHeader,
  probeScheme,
  probes,
  tcpCheck,
} from '../../../drivers/region/probe-model.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { enumOf, inputOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { memoizeByIdentity } from '../../../kernel/memo.ts';
import { Component } from '../graphql.ts';
import { nextDeploy } from '../model.ts';
import { storedProbes } from './model.ts';
import * as operations from './operations.ts';
import { setProbes } from './probe-model.ts';

const ProbeScheme = enumOf('ProbeScheme', probeScheme, 'The scheme of an HTTP probe.', {
  http: 'HTTP.',
  https: 'HTTPS. Certificates are not verified.',
});
inputOf('ProbeHeaderInput', probeHeader, 'A header of an HTTP probe.');
inputOf('HttpProbeInput', httpCheck, 'A check by an HTTP request.');
inputOf('TcpProbeInput', tcpCheck, 'A check by a TCP connection.');
inputOf('GrpcProbeInput', grpcCheck, 'A check by the gRPC health checking protocol.');
inputOf('ProbeInput', probe, 'A probe, with exactly one of `http`, `tcp`, `grpc` and `command`.');
inputOf('ComponentProbesInput', probes, 'The probes of a component.');

type CheckOf<K extends ProbeCheck['kind']> = Extract<ProbeCheck, { kind: K }>;
const portText = 'The port number, from 1 to 65535.';

const ProbeHeader = objectType<{ name: string; value: string }>('ProbeHeader', {
  description: 'A header of an HTTP probe.',
  exposes: {
    'name: String!': 'The name of the header.',
    'value: String!': 'The value of the header.',
  },
});

const HttpProbe = objectType<CheckOf<'http'>>('HttpProbe', {
  description: 'A check by an HTTP request. A status from 200 to 399 is a success.',
  exposes: {
    'port: Int!': portText,
    'path: String!': 'The path, which can have a query.',
    scheme: property(ProbeScheme, 'The scheme.'),
    headers: property([ProbeHeader], 'Headers of the request.'),
  },
});

const TcpProbe = objectType<CheckOf<'tcp'>>('TcpProbe', {
  description: 'A check by a TCP connection.',
  fields: (t) => ({ port: t.exposeInt('port', { description: portText }) }),
});

const GrpcProbe = objectType<CheckOf<'grpc'>>('GrpcProbe', {
  description: 'A check by the gRPC health checking protocol.',
  exposes: {
    'port: Int!': portText,
    'service: String!': 'The service. The empty string is the server as a whole.',
  },
});

const checkAs = <K extends ProbeCheck['kind']>({ check }: Probe, kind: K) =>
  check.kind === kind ? (check as CheckOf<K>) : null;

const ProbeType = objectType<Probe>('Probe', {
  description:
    'A check of the instances of a component. Exactly one of `http`, `tcp`, `grpc` and `command` is set.',
  exposes: {
    'initialDelaySeconds: Int!': 'The time from the start of an instance to the first check, in seconds.',
    'periodSeconds: Int!': 'The time between checks, in seconds.',
    'timeoutSeconds: Int!': 'The time limit of a check, in seconds.',
    'failureThreshold: Int!': 'The number of consecutive failed checks after which the probe fails.',
    'successThreshold: Int!':
      'The number of consecutive successful checks after a failure for the probe to succeed.',
  },
  fields: (t) => ({
    http: t.field({
      type: HttpProbe,
      nullable: true,
      description: 'The HTTP request of the probe. Null for a probe of another kind.',
      resolve: (probe) => checkAs(probe, 'http'),
    }),
    tcp: t.field({
      type: TcpProbe,
      nullable: true,
      description: 'The TCP connection of the probe. Null for a probe of another kind.',
      resolve: (probe) => checkAs(probe, 'tcp'),
    }),
    grpc: t.field({
      type: GrpcProbe,
      nullable: true,
      description: 'The gRPC call of the probe. Null for a probe of another kind.',
      resolve: (probe) => checkAs(probe, 'grpc'),
    }),
    command: t.stringList({
      nullable: true,
      description:
        'The program of the probe with its arguments, which runs in the instance. Null for a probe of another kind.',
      resolve: (probe) => checkAs(probe, 'command')?.command ?? null,
    }),
  }),
});

const columns = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;
type WithProbes = Pick<Row<'Component'>, (typeof columns)[number]>;
/** Parsed once for each row, whatever the number of aliases. */
const probesOfRow = memoizeByIdentity((row: WithProbes) => storedProbes(row));

const ComponentProbes = objectType<WithProbes>('ComponentProbes', {
  description: 'The probes of a component.',
  fields: (t) => ({
    startup: t.field({
      type: ProbeType,
      nullable: true,
      description:
        'The startup probe. Until it succeeds, the other probes do not run. An instance that fails it is restarted. Null if not set.',
      resolve: (row) => probesOfRow(row).startup,
    }),
    readiness: t.field({
      type: ProbeType,
      nullable: true,
      description:
        'The readiness probe. An instance receives requests, and counts as running, while it succeeds. Null if not set: see `Component.checksPorts`.',
      resolve: (row) => probesOfRow(row).readiness,
    }),
    liveness: t.field({
      type: ProbeType,
      nullable: true,
      description: 'The liveness probe. An instance that fails it is restarted. Null if not set.',
      resolve: (row) => probesOfRow(row).liveness,
    }),
  }),
});

builder.objectFields(Component, (t) => ({
  probes: t.using(...columns).field({
    type: ComponentProbes,
    description:
      'The probes. Without a readiness probe, the status RUNNING means that the instances have started and, with `checksPorts`, that an open port accepts connections, but not that requests are answered.',
    resolve: (component) => component,
  }),
  checksPorts: t.exposeBoolean('checksPorts', {
    description:
      'Whether ports that are open inside the cluster or have a gateway rule are checked by TCP if the component has no readiness probe.',
  }),
  preStopSeconds: t.exposeInt('preStopSeconds', {
    description:
      'The pause before an instance gets its termination signal, in seconds. Until then, it still answers requests.',
  }),
  terminationGracePeriodSeconds: t.exposeInt('terminationGracePeriodSeconds', {
    description:
      'The time from the start of the pause before the termination signal until an instance is killed, in seconds.',
  }),
  deployDeadlineSeconds: t.exposeInt('deployDeadlineSeconds', {
    description:
      'The time limit for a job to bring the component to its desired state, in seconds. The setting `JOB_DEADLINE_MS` can set a shorter limit.',
  }),
  preDeployCommand: t.using('preDeployCommand').stringList({
    nullable: true,
    description:
      'The command that runs once before each deploy, as a list of words. If it fails, the component is not deployed: see `JobComponent.preDeployRun`. Null if not set.',
    resolve: ({ preDeployCommand }) =>
      preDeployCommand === null ? null : (JSON.parse(preDeployCommand) as string[]),
  }),
  preDeployTimeoutSeconds: t.exposeInt('preDeployTimeoutSeconds', {
    description: 'The time limit of the pre-deploy command, in seconds. A command that exceeds it fails.',
  }),
}));

mutation('setProbes', setProbes, operations.setProbes, {
  description: `Sets and removes probes of a component. ${nextDeploy} Idempotent.`,
  operation: {
    advice:
      'Each probe has exactly one of `http`, `tcp`, `grpc` and `command`. get_component has the current probes.',
    selection: { component: 'id name hasUndeployedChanges revision probes { ...Probes }' },
  },
  payload: { component: property(Component, 'The changed component.') },
});
