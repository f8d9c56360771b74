import { at } from '../support/surfaces-port-changes.ts';
import type { Fields, Operation, Refused, Scene } from '../support/surfaces-scene.ts';
import type { Twin } from '../support/surfaces-twins.ts';

const newPort = { port: '7777', protocol: 'http' };
const add = ({ componentId }: Twin) => ({ component: { componentId }, number: 7777, protocol: 'HTTP' });

const added = (what: string, body: object, input: object, code: string, fields?: Fields): Refused => ({
  what,
  code,
  rest: ({ twin }) => ({ at: `POST ${twin.component}/ports`, body: { ...newPort, ...body } }),
  graphql: ({ twin }) => ({ mutation: 'addPort', input: { ...add(twin), ...input } }),
  fields,
});
const wrong = (what: string, body: object, input: object, ...fields: Fields) =>
  added(what, body, input, 'INVALID_INPUT', fields);

const addPort: Operation = {
  takes: 'developer',
  valid: (scene, twin = scene.twin) => ({
    rest: { at: `POST ${twin.component}/ports`, body: newPort },
    graphql: { mutation: 'addPort', input: add(twin) },
  }),
  refused: [
    wrong('port 0', { port: '0' }, { number: 0 }, 'port', 'input.number'),
    wrong('port 65536', { port: 65_536 }, { number: 65_536 }, 'port', 'input.number'),
    wrong('a port that is no number', { port: 'http' }, { number: 'http' }, 'port', 'input.number'),
    wrong('no port', { port: undefined }, { number: undefined }, 'port', 'input.number'),
    wrong('an unknown protocol', { protocol: 'smtp' }, { protocol: 'SMTP' }, 'protocol', 'input.protocol'),
    wrong('no protocol', { protocol: undefined }, { protocol: undefined }, 'protocol', 'input.protocol'),
    wrong('a wrong alias', { port_alias: 'web' }, { alias: 'web' }, 'port_alias', 'input.alias'),
    wrong('an empty alias', { port_alias: '' }, { alias: '' }, 'port_alias', 'input.alias'),
    wrong(
      'an over-long alias',
      { port_alias: 'A'.repeat(65) },
      { alias: 'A'.repeat(65) },
      'port_alias',
      'input.alias',
    ),
    wrong(
      'a switch that is text',
      { is_inner_service: 'true' },
      { isInner: 'true' },
      'is_inner_service',
      'input.isInner',
    ),
    wrong('an unknown field', { colour: 'red' }, { colour: 'red' }, 'colour', 'input.colour'),
    wrong(
      'two wrong fields',
      { port: '0', port_alias: 'web' },
      { number: 0, alias: 'web' },
      ['port', 'port_alias'],
      ['input.alias', 'input.number'],
    ),
    added('a number that is taken', { port: '8080' }, { number: 8080 }, 'CONFLICT'),
    added('an alias that is taken', { port_alias: 'TAKEN' }, { alias: 'TAKEN' }, 'CONFLICT'),
    {
      what: 'a component that is not there',
      code: 'NOT_FOUND',
      rest: ({ twin }) => ({ at: `POST ${twin.application}/services/none/ports`, body: newPort }),
      graphql: ({ twin }) => ({
        mutation: 'addPort',
        input: { ...add(twin), component: { componentId: 'none' } },
      }),
    },
  ],
};

/** A change of a port: what REST puts, and the mutation that does the same. */
const changed = (
  what: string,
  code: string,
  number: unknown,
  body: object | undefined,
  mutation: string,
  input: object,
  fields?: Fields,
): Refused => ({
  what,
  code,
  rest: ({ twin }) => ({ at: `${body ? 'PUT' : 'DELETE'} ${twin.component}/ports/${number}`, body }),
  graphql: ({ twin }) => ({ mutation, input: { port: at(twin, number as number), ...input } }),
  fields,
});

const actions: [string, object, string, object][] = [
  ['open_outer', {}, 'openOuterService', {}],
  ['close_outer', {}, 'closeOuterService', {}],
  ['open_inner', {}, 'openInnerService', {}],
  ['close_inner', {}, 'closeInnerService', {}],
  ['change_protocol', { protocol: 'tcp' }, 'changePortProtocol', { protocol: 'TCP' }],
  ['change_port_alias', { port_alias: 'NEW' }, 'changePortAlias', { alias: 'NEW' }],
];

const protocol = (what: string, code: string, number: number, value: string | undefined, fields?: Fields) =>
  changed(
    what,
    code,
    number,
    { action: 'change_protocol', protocol: value },
    'changePortProtocol',
    { protocol: value?.toUpperCase() },
    fields,
  );
const alias = (
  what: string,
  code: string,
  value: string | undefined,
  serviceName?: string,
  fields?: Fields,
) =>
  changed(
    what,
    code,
    8080,
    { action: 'change_port_alias', port_alias: value, cluster_service_name: serviceName },
    'changePortAlias',
    { alias: value, serviceName },
    fields,
  );

const updatePort: Operation = {
  takes: 'developer',
  valid: (scene, twin = scene.twin) => ({
    rest: { at: `PUT ${twin.component}/ports/8080`, body: { action: 'open_inner' } },
    graphql: { mutation: 'openInnerService', input: { port: at(twin) } },
  }),
  refused: [
    ...actions.flatMap(([action, body, mutation, input]) => {
      const put = { action, ...body };
      const asked = changed(`${action} by a viewer`, 'FORBIDDEN', 8080, put, mutation, input);
      const by = (call: Refused['rest'] | Refused['graphql']) => (scene: Scene) => ({
        ...call(scene),
        token: scene.viewer.token,
      });
      return [
        changed(`${action} of a port that is not there`, 'NOT_FOUND', 1, put, mutation, input),
        { ...asked, rest: by(asked.rest), graphql: by(asked.graphql) } as Refused,
      ];
    }),
    changed('port 0', 'INVALID_INPUT', 0, { action: 'open_inner' }, 'openInnerService', {}, [
      'port',
      'input.port.at.number',
    ]),
    changed(
      'a port that is no number',
      'INVALID_INPUT',
      'x',
      { action: 'open_inner' },
      'openInnerService',
      {},
      ['port', 'input.port.at.number'],
    ),
    protocol('no protocol', 'INVALID_INPUT', 8080, undefined, ['protocol', 'input.protocol']),
    protocol('an unknown protocol', 'INVALID_INPUT', 8080, 'smtp', ['protocol', 'input.protocol']),
    protocol('TCP for an HTTP port that is open', 'CONFLICT', 7000, 'tcp'),
    alias('no alias', 'INVALID_INPUT', undefined, undefined, ['port_alias', 'input.alias']),
    alias('a wrong alias', 'INVALID_INPUT', 'web', undefined, ['port_alias', 'input.alias']),
    alias('a wrong inner domain', 'INVALID_INPUT', 'NEW', 'Upper', [
      'cluster_service_name',
      'input.serviceName',
    ]),
    alias('both wrong', 'INVALID_INPUT', 'web', '1', [
      ['cluster_service_name', 'port_alias'],
      ['input.alias', 'input.serviceName'],
    ]),
    alias('an alias that is taken', 'CONFLICT', 'TAKEN'),
    alias('an inner domain that is taken', 'CONFLICT', 'NEW', 'taken'),
  ],
};

const deletePort: Operation = {
  takes: 'developer',
  valid: (scene, twin = scene.twin) => ({
    rest: { at: `DELETE ${twin.component}/ports/9090` },
    graphql: { mutation: 'deletePort', input: { port: at(twin, 9090) } },
  }),
  refused: [
    changed('a port that is not there', 'NOT_FOUND', 1, undefined, 'deletePort', {}),
    changed('port 65536', 'INVALID_INPUT', 65_536, undefined, 'deletePort', {}, [
      'port',
      'input.port.at.number',
    ]),
    changed('a port with a custom rule', 'CONFLICT', 8080, undefined, 'deletePort', {}),
  ],
};

export const refusedPorts: Record<string, Operation> = { addPort, updatePort, deletePort };
