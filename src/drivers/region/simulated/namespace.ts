import type { NamespaceAccess } from '../namespace.ts';
import { anywhere } from '../placement.ts';

/** Every namespace has a web server with a volume. */
export const simulatedNamespaces: NamespaceAccess = {
  read: async (_, namespace) => ({
    components: [
      {
        name: `${namespace}-web`.slice(0, 63),
        image: 'nginx:1.29',
        entrypoint: null,
        command: null,
        replicas: 2,
        cpuMillicores: 100,
        memoryMiB: 128,
        ...{ cpuLimitMillicores: 100, memoryLimitMiB: 128 },
        extendMethod: 'stateless',
        placement: anywhere,
        autoscaling: null,
        schedules: [],
        probes: {},
        preStopSeconds: 5,
        terminationGracePeriodSeconds: 30,
        needsRoot: false,
        serviceName: `${namespace}-web`.slice(0, 63),
        variables: [{ name: 'MODE', value: 'simulated', isSecret: false }],
        volumes: [
          {
            name: 'data',
            path: '/data',
            type: 'share-file',
            fileContent: '',
            capacityGiB: 1,
            accessMode: 'ReadWriteOnce',
            isShared: false,
          },
        ],
        ports: [{ number: 80, protocol: 'http', isInner: true, additionalName: null }],
        httpRules: [],
      },
    ],
    omitted: [
      { kind: 'PersistentVolumeClaim', name: 'data', what: 'the data, because the new volume is empty' },
    ],
  }),
};
