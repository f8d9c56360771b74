/** What changes: switches of ports, by GraphQL and by REST. */
import { graphql, limit, type Places, type Variables, type Work } from './work.ts';

/** Switches of one contestant: its own ports, all closed in turn, then all opened. */
const switchedPorts = 200;

const switches = ({ ports, teams }: Places, contestant: number): Variables[] => {
  const { id: teamId } = teams[contestant]!;
  const own = ports.filter((port) => port.teamId === teamId).slice(0, switchedPorts);
  return [false, true].flatMap((isInner) => own.map((port) => ({ ...port, isInner })));
};

const postgraphileSwitch = ({ id, isInner }: Variables) =>
  graphql(`mutation Switch($id: Int!, $isInner: Boolean!) {
    switched: updatePortByRowId(input: { rowId: $id, portPatch: { isInner: $isInner } }) {
      port { number alias isInner isOuter }
    }
  }`)({ id: id!, isInner: isInner! });

export const changes: Work[] = [
  {
    key: 'e',
    name: 'switch',
    title: "a port's inner service closed and opened: a mutation, recorded",
    note: 'The limit is the bare transaction, PostGraphile its own update: neither asks who may, and PostGraphile does not record. With rights, it checks the membership by a policy and records by a trigger. Commits do not wait for the disk (fsync is off).',
    writes: true,
    sequence: switches,
    data: (body) => body.port ?? body.data?.switched?.port,
    request: {
      limit: ({ id, isInner }) => limit('e')({ id: id!, isInner: isInner! }),
      trellis: ({ id, isInner }) =>
        graphql(`mutation Switch($port: PortRef!) {
          switched: ${isInner ? 'open' : 'close'}InnerService(input: { port: $port }) {
            ... on ${isInner ? 'Open' : 'Close'}InnerServicePayload { port { number alias isInner isOuter } }
          }
        }`)({ port: { id: Buffer.from(`Port:${id}`).toString('base64url') } } as never),
      postgraphile: postgraphileSwitch,
      rights: postgraphileSwitch,
    },
  },
  {
    key: 'm2',
    name: 'REST switch',
    title: "REST, a port's inner service closed and opened",
    writes: true,
    sequence: switches,
    data: (body) => ({ isInner: body.is_inner_service }),
    request: {
      trellis: ({ teamId, region, applicationId, componentId, number, isInner }) => ({
        method: 'PUT',
        path: `/openapi/v1/teams/${teamId}/regions/${region}/apps/${applicationId}/services/${componentId}/ports/${number}`,
        body: { action: isInner ? 'open_inner' : 'close_inner' },
      }),
    },
  },
];
