import type { convertKubernetes } from '../../src/convert/kubernetes/manifest.ts';

type Result = ReturnType<typeof convertKubernetes>;

const templateOf = ({ kind, spec }: any) =>
  kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template;
const isSet = (value: any): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(typeof value === 'object' && Object.keys(value).length === 0);
const bytes = (text: any) => {
  const [, number, unit] = /^([\d.]+)([kMGT]?i?)$/.exec(String(text)) ?? [];
  const base = unit?.endsWith('i') ? 1024 : 1000;
  return Number(number) * base ** ' kMGT'.replace('k', 'k').indexOf((unit || ' ')[0]!.replace('K', 'k'));
};
const millicores = (text: any) => (/m$/.test(String(text)) ? Number.parseInt(text, 10) : Number(text) * 1000);

/** Fields that say nothing about what runs, or that are compared below. */
const compared = {
  pod: /^(containers|volumes|nodeSelector|tolerations|terminationGracePeriodSeconds|restartPolicy|automountServiceAccountToken|enableServiceLinks|schedulerName|dnsPolicy|preemptionPolicy|priority|ephemeralContainers)$/,
  container:
    /^(name|image|args|command|env|envFrom|ports|resources|livenessProbe|readinessProbe|startupProbe|volumeMounts|terminationMessagePath|terminationMessagePolicy|stdin|tty)$/,
  workload:
    /^(replicas|selector|template|jobTemplate|schedule|timeZone|concurrencyPolicy|suspend|serviceName|volumeClaimTemplates|minReadySeconds|progressDeadlineSeconds|revisionHistoryLimit|podManagementPolicy|successfulJobsHistoryLimit|failedJobsHistoryLimit|persistentVolumeClaimRetentionPolicy)$/,
};
const isStandard = (key: string, value: any) =>
  (key === 'imagePullPolicy' && value === 'IfNotPresent') ||
  (/^(strategy|updateStrategy)$/.test(key) && (value.type ?? 'RollingUpdate') === 'RollingUpdate') ||
  (/^serviceAccount(Name)?$/.test(key) && value === 'default') ||
  (key === 'securityContext' &&
    Object.entries(value).every(([name, inner]) => /^(runAsNonRoot)$/.test(name) || !isSet(inner)));

/** Whether a port, which can have both transports, has one. */
const speaks = (has: string | undefined, protocol: string) =>
  has !== undefined && (has.includes('udp') ? protocol === 'UDP' || has !== 'udp' : protocol === 'TCP');

/** What rendered manifests have and neither the manifest nor a note says. It knows nothing of the rules of the conversion. */
export function kubernetesLosses(documents: readonly any[], { manifest, notes }: Result): string[] {
  const losses: string[] = [];
  const objects = documents.flatMap((document) => document?.items ?? (document ? [document] : []));
  const seen = new Set<string>();
  const nameOf = ({ metadata: { name, generateName } }: any) => name ?? generateName;
  const told = (subject: string, ...parts: string[]) =>
    notes.some(
      ({ subject: of, reason }) => of === subject && parts.every((part) => reason.includes(String(part))),
    );
  const find = (kind: string, name: string) =>
    objects.find((each) => each.kind === kind && nameOf(each) === name);
  const routes = manifest.routes ?? [];
  for (const object of objects) {
    const { kind, spec = {} } = object;
    const name = nameOf(object);
    const lose = (what: string) => losses.push(`${kind} ${name}: ${what}`);
    if (seen.has(`${kind} ${name}`)) {
      if (!told(name, 'another has its name')) lose('object');
      continue;
    }
    seen.add(`${kind} ${name}`);
    if (/^(Deployment|StatefulSet|CronJob)$/.test(kind)) {
      const rename = notes.find(
        (note) => note.subject === name && note.key === kind && note.reason.startsWith('its name'),
      );
      const component: any = manifest.components[rename?.reason.split(' ').at(-1) ?? name];
      if (!component) {
        if (!told(name, `the ${kind}`) && !told(name, 'the workload')) lose('workload');
      } else workloadLosses(object, component, lose, (...parts) => told(name, ...parts), find);
    } else if (kind === 'Service') {
      const of = objects.filter(
        (each) =>
          /^(Deployment|StatefulSet)$/.test(each.kind) &&
          isSet(spec.selector) &&
          Object.entries(spec.selector).every(
            ([key, value]) => templateOf(each).metadata?.labels?.[key] === value,
          ),
      );
      if (told(name, 'the Service') || told(name, 'the name of the Service')) continue;
      const component: any = of.length === 1 ? manifest.components[nameOf(of[0])] : undefined;
      if (!component) lose('service');
      for (const { port, targetPort = port, protocol = 'TCP' } of component ? (spec.ports ?? []) : []) {
        const number =
          typeof targetPort === 'number'
            ? targetPort
            : templateOf(of[0]).spec.containers[0].ports?.find((each: any) => each.name === targetPort)
                ?.containerPort;
        const entry = component.ports?.[number];
        const isNamed = component.serviceName === name || entry?.serviceName === name;
        const isOf = speaks(entry?.protocol, protocol);
        if (
          !(entry?.isInner && isNamed && isOf) &&
          !told(name, String(port)) &&
          !told(nameOf(of[0]), String(number))
        )
          lose(`port ${port}`);
        if (number !== port && !told(name, String(port))) lose(`port ${port} is ${number}`);
      }
      if (/^(LoadBalancer|NodePort)$/.test(spec.type) && !told(name, 'reached from outside')) lose(spec.type);
    } else if (kind === 'Ingress') {
      for (const { host, http } of spec.rules ?? []) {
        for (const { path = '/' } of http?.paths ?? []) {
          if (!routes.some((route) => route.domain === host && route.path === path) && !told(name, path))
            lose(`${host}${path}`);
        }
      }
      if (spec.tls && !told(name, 'certificate')) lose('tls');
    } else if (kind === 'HTTPRoute') {
      for (const { matches = [{}], filters, timeouts } of spec.rules ?? []) {
        for (const { path: { value = '/' } = {} } of matches as any[]) {
          for (const host of spec.hostnames ?? []) {
            if (!routes.some((route) => route.domain === host && route.path === value) && !told(name, value))
              lose(`${host}${value}`);
          }
        }
        if (filters && !told(name, 'filters')) lose('filters');
        if (timeouts && !told(name, 'timeouts')) lose('timeouts');
      }
    } else if (kind === 'HorizontalPodAutoscaler') {
      const target: any = manifest.components[spec.scaleTargetRef?.name];
      if (!target?.autoscaling && !told(name, 'autoscal') && !told(spec.scaleTargetRef?.name, 'autoscal'))
        lose('autoscaling');
    } else if (kind === 'PodDisruptionBudget') {
      const isTaken = Object.values(manifest.components).some(
        ({ placement }: any) => placement?.minAvailable !== undefined,
      );
      if (!isTaken && !told(name, 'disruption budget')) lose('budget');
    } else if (
      !/^(ConfigMap|Secret|PersistentVolumeClaim)$/.test(kind) &&
      !notes.some((note) => note.subject === name && note.key === kind)
    ) {
      lose('object');
    } else if (
      kind === 'ConfigMap' &&
      object.binaryData &&
      !told(name, 'binaryData') &&
      !told(name, 'no component')
    ) {
      lose('binaryData');
    }
  }
  for (const { metadata, kind } of objects.filter((each) => each.kind === 'PersistentVolumeClaim')) {
    const { name } = metadata;
    const users = objects.flatMap((each) => {
      const volumes: any[] = templateOf({ spec: {}, ...each })?.spec?.volumes ?? [];
      const volume = volumes.find((volume) => volume.persistentVolumeClaim?.claimName === name);
      const own: any[] = Object.values((manifest.components[nameOf(each)] as any)?.volumes ?? {});
      const mounts: any[] = templateOf({ spec: {}, ...each })?.spec?.containers?.[0]?.volumeMounts ?? [];
      const path = mounts.find((mount) => mount.name === volume?.name)?.mountPath;
      const found = volume && own.find((each) => each.path === path);
      return found ? [found] : [];
    });
    if (users.length > 1 && !users.every(({ isShared }) => isShared) && !told(name, 'share'))
      losses.push(`${kind} ${name}: is not shared`);
  }
  return losses;
}

type Find = (kind: string, name: string) => any;

function workloadLosses(
  object: any,
  component: any,
  lose: (what: string) => void,
  told: (...parts: string[]) => boolean,
  find: Find,
): void {
  const { kind, spec } = object;
  const pod = templateOf(object).spec;
  const [main, ...others] = pod.containers;
  const isCron = kind === 'CronJob';
  if (component.image !== main.image) lose(`image ${main.image}`);
  if (!isCron && !component.autoscaling && component.replicas !== (spec.replicas ?? 1)) lose('replicas');
  const words = (text: string | undefined) => (text ?? '').replace(/['\\]/g, '');
  const written = [...(main.command ?? []), ...(main.args ?? [])].map(String);
  const kept = isCron
    ? Object.values<any>(component.schedules ?? {}).flatMap(({ command }) => command)
    : [words(component.entrypoint), words(component.command)];
  for (const word of written)
    if (!kept.some((text) => text.includes(words(word))) && !told('command')) lose(`word ${word}`);
  for (const { name } of others) if (!told('container', name)) lose(`container ${name}`);
  if (pod.initContainers && !told('initContainers')) lose('initContainers');
  for (const { name, value } of main.env ?? []) {
    const set = component.variables?.[name];
    const text = typeof set === 'object' ? set.value : set;
    const isSame = value === undefined || String(value) === text || /\$\(|\$\$/.test(String(value));
    if ((text === undefined || !isSame) && !told('variable', name)) lose(`variable ${name}`);
  }
  for (const { prefix = '', configMapRef, secretRef } of main.envFrom ?? []) {
    const source = find(configMapRef ? 'ConfigMap' : 'Secret', (configMapRef ?? secretRef).name);
    if (!source && !told((configMapRef ?? secretRef).name)) lose('envFrom');
    for (const key of Object.keys({ ...source?.data, ...source?.stringData }))
      if (component.variables?.[prefix + key] === undefined && !told(prefix + key) && !told(key))
        lose(`variable ${prefix + key}`);
  }
  for (const { containerPort, protocol = 'TCP', hostPort } of main.ports ?? []) {
    const entry = component.ports?.[containerPort];
    if (!speaks(entry?.protocol, protocol) && !told(String(containerPort)))
      lose(`port ${containerPort}/${protocol}`);
    if (hostPort && !told('hostPort')) lose(`hostPort ${hostPort}`);
  }
  for (const probe of ['liveness', 'readiness', 'startup']) {
    const from = main[`${probe}Probe`];
    const to = component.probes?.[probe];
    if (from && !to && !told(`${probe} probe`)) lose(`${probe}Probe`);
    if (!from || !to) continue;
    for (const key of ['initialDelaySeconds', 'periodSeconds', 'timeoutSeconds', 'failureThreshold'])
      if (from[key] && from[key] !== to[key]) lose(`${probe}Probe.${key}`);
    if ((from.httpGet?.path ?? to.http?.path) !== to.http?.path) lose(`${probe}Probe path`);
  }
  const paths = Object.values<any>(component.volumes ?? {}).map(({ path }) => path);
  for (const { mountPath } of main.volumeMounts ?? []) {
    const path = mountPath.replace(/(.)\/+$/, '$1');
    if (
      !paths.some((each) => each === path || each.startsWith(`${path}/`)) &&
      !told(path) &&
      !told(mountPath)
    )
      lose(`mount ${path}`);
  }
  const { requests = {}, limits = {} } = main.resources ?? {};
  const isAtLeast = (value: unknown, least: number) =>
    value === 'none' || (typeof value === 'number' && value >= Math.floor(least));
  if (
    limits.memory &&
    !isAtLeast(component.memoryLimitMiB ?? component.memoryMiB, bytes(limits.memory) / 2 ** 20)
  )
    lose(`limit ${limits.memory}`);
  if (
    limits.cpu &&
    !isAtLeast(component.cpuLimitMillicores ?? component.cpuMillicores, millicores(limits.cpu))
  )
    lose(`limit ${limits.cpu}`);
  if (requests.memory && component.memoryMiB !== Math.ceil(bytes(requests.memory) / 2 ** 20))
    lose(`request ${requests.memory}`);
  if (requests.cpu && component.cpuMillicores !== Math.ceil(millicores(requests.cpu)))
    lose(`request ${requests.cpu}`);
  for (const key of new Set([...Object.keys(requests), ...Object.keys(limits)]))
    if (!/^(cpu|memory)$/.test(key) && !told(key)) lose(`resource ${key}`);
  const grace = pod.terminationGracePeriodSeconds ?? 30;
  if ((component.terminationGracePeriodSeconds ?? 30) !== Math.max(1, grace) && !told('grace'))
    lose(`grace ${grace}`);
  const { nodeLabels = [], tolerations = [] } = component.placement ?? {};
  if (nodeLabels.length !== Object.keys(pod.nodeSelector ?? {}).length) lose('nodeSelector');
  if (tolerations.length !== (pod.tolerations ?? []).length && !told('toleration')) lose('tolerations');
  if (isCron && Object.keys(component.schedules ?? {}).length !== 1) lose('schedule');
  for (const [of, fields] of [
    ['pod', pod],
    ['container', main],
    ['workload', spec],
  ] as const) {
    for (const [key, value] of Object.entries<any>(fields)) {
      const isTaken =
        (key === 'topologySpreadConstraints' && component.placement?.spread) ||
        (key === 'lifecycle' && component.preStopSeconds !== undefined);
      if (
        !compared[of].test(key) &&
        isSet(value) &&
        !isStandard(key, value) &&
        !isTaken &&
        !told(key) &&
        !told('before its end')
      )
        lose(`${of}.${key}`);
    }
  }
}
