/**
 * Counts what a conversion of Compose files and rendered manifests of Kubernetes loses without a note, by comparing each file with its
 * manifest. It knows nothing of the rules of the conversion. `npx tsx test/support/import-losses.ts FOLDER...` walks folders of files,
 * such as public collections. The manifests of a folder are one application. With `TRELLIS_URL` and `TRELLIS_TOKEN`, such as those of a
 * demo, each is applied, has to run, and must have an empty plan then.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { filesBelow } from '../../src/cli/folder.ts';
import type { Note } from '../../src/convert/claims.ts';
import { convertCompose } from '../../src/convert/compose/convert.ts';
import { convertKubernetes } from '../../src/convert/kubernetes/manifest.ts';
import { linesOf } from '../../src/convert/notes.ts';
import { problemOf } from './import-runs.ts';
import { kubernetesLosses } from './kubernetes-losses.ts';

/** The texts of a file as Compose fills them in, with the variables of the `.env` file alone. */
function filled(value: any, env: Record<string, string>): any {
  if (Array.isArray(value)) return value.map((item) => filled(item, env));
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, env)]));
  if (typeof value !== 'string') return value;
  let text = value.replaceAll('$$', '\u0001');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(
      /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-?+])((?:[^{}$]|\{[^{}]*\})*))?\})/g,
      (_all, name, braced, kind, rest) => {
        const value = env[name ?? braced];
        const isThere = value !== undefined && !(kind?.startsWith(':') && value === '');
        if (kind?.endsWith('+')) return isThere ? rest : '';
        return isThere ? value : kind?.endsWith('-') ? rest : '';
      },
    );
  }
  return text.replaceAll('\u0001', '$');
}

/** The plain lines of the `.env` file beside a Compose file. */
function envBeside(folder: string): Record<string, string> {
  const path = join(folder, '.env');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split(/\r?\n/) : [];
  const env: Record<string, string> = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^(?:export )?(\w+)=(.*)$/.exec(line) ?? [];
      return name
        ? [
            [
              name,
              value!
                .replace(/\s+#.*$/, '')
                .trim()
                .replace(/^(['"])(.*)\1$/, '$2'),
            ],
          ]
        : [];
    }),
  );
  return filled(env, env);
}

const listOf = (value: any): any[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
const seconds = (text: any) =>
  [...String(text).matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * { ms: 0.001, s: 1, m: 60, h: 3600 }[unit as 's']!,
    0,
  );
const mebibytes = (text: any) => {
  const [, number, unit] = /^([\d.]+)\s*([kmgt]?)/i.exec(String(text)) ?? [];
  return Math.ceil((Number(number) * 1024 ** ' kmgt'.indexOf((unit || ' ').toLowerCase())) / 1024 ** 2);
};
const pairsOf = (value: any): [string, any][] =>
  Array.isArray(value)
    ? value.map((item) => [
        String(item).split('=')[0]!,
        String(item).includes('=') ? String(item).replace(/^[^=]*=/, '') : null,
      ])
    : Object.entries(value ?? {});

/** Keys of a service that are compared below, and those that say nothing about what runs. */
const compared =
  /^(image|build|command|entrypoint|environment|env_file|ports|expose|volumes|tmpfs|healthcheck|mem_limit|mem_reservation|cpus|scale|deploy|depends_on|links|stop_grace_period|configs|profiles|extends|networks|container_name|hostname|restart)$/;
const without = /^(tty|stdin_open|attach|develop|pull_policy|x-.*)$/;

type Notes = (service: string | null, key: RegExp, detail?: string) => boolean;

/** What a file has and neither its manifest nor a note says. */
function lossesOf(
  file: any,
  env: Record<string, string>,
  { manifest, notes }: ReturnType<typeof convertCompose>,
): string[] {
  const losses: string[] = [];
  const told: Notes = (service, key, detail) =>
    notes.some(
      (note) =>
        (note.subject === service || note.subject === null) &&
        key.test(note.key) &&
        (detail === undefined || (note.grade !== 'INFO' && note.detail?.includes(detail))),
    );
  const services: Record<string, any> = file.services ?? {};
  const volumeUsers = new Map<string, Map<string, string>>();
  /** Whether a service that ends is the command before the deploy of a component with its image. */
  const isBefore = (service: any) =>
    Object.values(manifest.components).some(
      ({ image, preDeployCommand }: any) => preDeployCommand && image === service?.image,
    );
  for (const [name, service] of Object.entries(services)) {
    const lose = (what: string) => losses.push(`${name}: ${what}`);
    const component = manifest.components[name];
    if (!component) {
      if (!told(name, /^profiles$/) && !isBefore(service)) lose('service');
      continue;
    }
    if (!service) continue;
    const { image, build, deploy = {}, healthcheck, command, entrypoint } = service;
    const written = image === undefined ? undefined : String(image).trim().replace(/:$/, '');
    if (written ? component.image !== written : !told(name, /^(image|build)$/)) lose(`image ${image}`);
    if (build && !told(name, /^build$/)) lose('build');
    const isStarted = component.command || (component.entrypoint && !entrypoint?.length);
    if (command && !isStarted && String(command) !== '') lose('command');
    if (entrypoint?.length && !component.entrypoint) lose('entrypoint');
    for (const [key, written] of new Map(pairsOf(service.environment))) {
      const value = written ?? env[key];
      const set = component.variables?.[key];
      const isSame = set === String(value ?? '') || (typeof value === 'number' && Number(set) === value);
      if (isSame || told(name, /^environment$/, key)) continue;
      const isRenamed =
        set !== undefined &&
        notes.some((note) => note.key === 'name' && String(value).includes(note.detail!.split(' ')[0]!));
      if (!isRenamed) lose(`variable ${key}: ${value} is ${set}`);
    }
    if (service.env_file && !component.variables && !told(name, /^env_file$/)) lose('env_file');
    for (const item of listOf(service.ports)) {
      const isLong = typeof item === 'object';
      const text = isLong
        ? `${item.host_ip ? `${item.host_ip}:` : ''}${item.published ?? ''}:${item.target}/${item.protocol ?? 'tcp'}`
        : String(item);
      const [, target, to = target, protocol = 'tcp'] = /(\d+)(?:-(\d+))?(?:\/(\w+))?$/.exec(text) ?? [];
      if (!target) {
        if (!told(name, /^ports$/)) lose(`port ${text}`);
        continue;
      }
      for (let port = Number(target); port <= Number(to); port++) {
        const entry = component.ports?.[port];
        const isFine =
          entry?.isInner &&
          (entry.isOuter || /127\.0\.0\.1|localhost|::1/.test(text)) &&
          (entry.protocol === 'tcp_udp' || (entry.protocol === 'udp') === (protocol === 'udp'));
        if (!isFine && !told(name, /^ports$/, target) && !told(name, /^ports$/, String(port)))
          lose(`port ${text}`);
      }
    }
    for (const item of listOf(service.expose)) {
      const number = /^\d+/.exec(String(item))?.[0];
      if (number && !component.ports?.[number] && !told(name, /^expose$/)) lose(`expose ${item}`);
    }
    const paths = Object.values(component.volumes ?? {}).map(({ path }) => path);
    for (const item of [
      ...listOf(service.volumes),
      ...listOf(service.tmpfs).map((path) => ({ target: String(path).split(':')[0], type: 'tmpfs' })),
    ]) {
      const parts = String(item).split(':');
      const isLong = typeof item === 'object';
      const target = String(isLong ? item.target : parts.length > 1 ? parts[1] : parts[0]).replace(
        /(.)\/+$/,
        '$1',
      );
      const source = isLong ? item.source : parts.length > 1 ? parts[0] : undefined;
      const isMounted = paths.some((path) => path === target || path.startsWith(`${target}/`));
      if (!isMounted && !told(name, /^volumes/, target) && !told(name, /^volumes/, source))
        lose(`volume ${target}`);
      if (source && isMounted)
        volumeUsers.set(source, (volumeUsers.get(source) ?? new Map()).set(name, target));
    }
    for (const item of listOf(service.configs)) {
      const source = typeof item === 'object' ? item.source : item;
      const target = (typeof item === 'object' && item.target) || `/${source}`;
      if (!paths.includes(target) && !told(name, /^configs/)) lose(`config ${target}`);
    }
    if (
      healthcheck &&
      !healthcheck.disable &&
      healthcheck.test &&
      !/NONE/.test(String(healthcheck.test[0]))
    ) {
      const readiness = component.probes?.readiness as any;
      const startup = component.probes?.startup as any;
      const isSame = (key: string, field: string, initial: number) =>
        readiness?.[field] ===
        Math.max(1, Math.round(healthcheck[key] ? seconds(healthcheck[key]) : initial));
      if (!readiness && !told(name, /^healthcheck/)) lose('healthcheck');
      else if (readiness) {
        if (!isSame('interval', 'periodSeconds', 30)) lose(`interval ${healthcheck.interval}`);
        if (!isSame('timeout', 'timeoutSeconds', 30)) lose(`timeout ${healthcheck.timeout}`);
        const start = healthcheck.start_period ? seconds(healthcheck.start_period) : 0;
        if (start > 0 && !(startup?.periodSeconds * (startup?.failureThreshold - 1) >= start))
          lose(`start_period ${healthcheck.start_period}`);
        if (readiness.failureThreshold !== Number(healthcheck.retries || 3))
          lose(`retries ${healthcheck.retries}`);
      }
    }
    const limits = deploy?.resources?.limits ?? {};
    const memory = limits.memory ?? service.mem_limit;
    if (
      memory &&
      mebibytes(memory) > 0 &&
      (component.memoryLimitMiB ?? component.memoryMiB) !== mebibytes(memory)
    )
      lose(`memory ${memory}`);
    const cpus = limits.cpus ?? service.cpus;
    if (
      cpus &&
      Number(cpus) > 0 &&
      (component.cpuLimitMillicores ?? component.cpuMillicores) !== Math.round(Number(cpus) * 1000)
    )
      lose(`cpus ${cpus}`);
    const reserved = deploy?.resources?.reservations?.memory ?? service.mem_reservation;
    if (reserved && mebibytes(reserved) > 0 && component.memoryMiB !== mebibytes(reserved))
      lose(`reserved memory ${reserved}`);
    if (!memory && !reserved && !told(name, /^size$/)) lose('default size');
    const replicas = deploy?.replicas ?? service.scale;
    if (
      replicas !== undefined &&
      replicas !== '' &&
      component.replicas !== Number(replicas) &&
      !told(name, /^(replicas|depends_on)$/)
    )
      lose(`replicas ${replicas}`);
    const depends = service.depends_on ?? [];
    for (const other of Array.isArray(depends) ? depends : Object.keys(depends)) {
      if (
        !component.dependsOn?.includes(other) &&
        !isBefore(services[other]) &&
        !told(name, /^depends_on$/, other) &&
        !told(other, /^depends_on$/, name)
      )
        lose(`depends_on ${other}`);
      const { condition } = Array.isArray(depends) ? { condition: undefined } : (depends[other] ?? {});
      if (
        condition &&
        condition !== 'service_started' &&
        !told(name, /^depends_on$/) &&
        !told(other, /^depends_on$/)
      )
        lose(`condition ${other}`);
    }
    if (
      service.stop_grace_period &&
      component.terminationGracePeriodSeconds !== Math.max(1, Math.round(seconds(service.stop_grace_period)))
    )
      lose('stop_grace_period');
    if (/^(no|on-failure)/.test(String(service.restart ?? '')) && !told(name, /^restart/))
      lose(`restart ${service.restart}`);
    for (const key of Object.keys(service)) {
      const value = service[key];
      const isEmpty =
        value === null ||
        /^(false|)$/.test(String(value)) ||
        value === '' ||
        (typeof value === 'object' && Object.keys(value).length === 0);
      const isDefault =
        (key === 'user' && component.needsRoot) ||
        (key === 'network_mode' && /^(bridge|default|)$/.test(String(value)));
      if (
        !compared.test(key) &&
        !without.test(key) &&
        !isEmpty &&
        !isDefault &&
        !told(name, new RegExp(`^${key}\\b`))
      )
        lose(key);
    }
    for (const key of Object.keys(deploy ?? {})) {
      const isDefault =
        (key === 'mode' && deploy.mode === 'replicated') ||
        (key === 'restart_policy' && deploy.restart_policy?.condition === 'any') ||
        key === 'endpoint_mode';
      if (
        !/^(replicas|resources)$/.test(key) &&
        !isDefault &&
        deploy[key] &&
        !told(name, new RegExp(`^deploy.${key}\\b`)) &&
        !(
          key === 'restart_policy' &&
          Object.keys(deploy[key]).length === 1 &&
          !/none|on-failure/.test(String(deploy[key].condition))
        )
      )
        lose(`deploy.${key}`);
    }
  }
  for (const [source, users] of volumeUsers) {
    if (users.size > 1 && !/^\/(etc|var\/run|run|proc|sys|dev)\b/.test(source)) {
      const isData = [...users].some(([name, target]) =>
        Object.values(manifest.components[name]?.volumes ?? {}).some(
          ({ type, path }) => type === 'local' && path === target,
        ),
      );
      const isFiles = !isData;
      for (const name of users.keys()) {
        const own = Object.values(manifest.components[name]?.volumes ?? {});
        if (
          !isFiles &&
          !own.some(({ isShared }) => isShared) &&
          !notes.some(({ subject, grade, key }) => subject === name && grade === 'LOST' && key === 'volumes')
        )
          losses.push(`${name}: shared ${source}`);
      }
    }
    const options = file.volumes?.[source];
    for (const key of ['driver_opts', 'external']) {
      if (options?.[key] && !notes.some((note) => note.key === `volumes.*.${key}`))
        losses.push(`volumes: ${source} ${key}`);
    }
  }
  losses.push(...unreachable(services, manifest, told));
  return losses;
}

/** The services that others name with a port and do not reach there. */
function unreachable(
  services: Record<string, any>,
  { components }: ReturnType<typeof convertCompose>['manifest'],
  told: Notes,
): string[] {
  const losses: string[] = [];
  for (const [name, service] of Object.entries(services)) {
    if (!service || !components[name]) continue;
    const { environment, entrypoint, command, healthcheck } = service;
    const texts = [
      ...pairsOf(environment)
        .filter(([key]) => !/IMAGE|VERSION|TAG/i.test(key))
        .map(([, value]) => String(value ?? '')),
      ...listOf(entrypoint).map(String),
      ...listOf(command).map(String),
      ...listOf(healthcheck?.test).map(String),
    ];
    for (const other of Object.keys(services)) {
      const target = components[other];
      if (!target || !services[other]) continue;
      const escaped = other.replace(/[.\\-]/g, '\\$&');
      for (const text of texts) {
        for (const [, port] of text.matchAll(
          new RegExp(`(?:^|[\\s/@,='"(])${escaped}:(\\d{2,5})(?=$|[\\s/,;'"?)])`, 'g'),
        )) {
          const isOpen = target.ports?.[port!]?.isInner && target.serviceName;
          if (!isOpen && !told(other, /^ports$/)) losses.push(`${name}: ${other}:${port} is not open`);
          else if (isOpen && target.serviceName !== other && !told(other, /^name$/))
            losses.push(`${name}: ${other} is ${target.serviceName}`);
        }
      }
    }
  }
  return losses;
}

const isCompose = (name: string) => /compose[\w.-]*\.ya?ml$/.test(name);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : filesIn(path);
    return /\.ya?ml$/.test(entry.name) ? [path] : [];
  });
}

/** The rendered manifests of each folder. Templates of charts are none. */
function manifestsIn(paths: readonly string[]): { name: string; text: string }[][] {
  const folders = new Map<string, { name: string; text: string }[]>();
  for (const name of paths) {
    const text = readFileSync(name, 'utf8');
    if (!/^kind: *\w+/m.test(text) || !/^apiVersion:/m.test(text) || text.includes('{{')) continue;
    if (/kustomization/.test(name)) continue;
    folders.set(dirname(name), [...(folders.get(dirname(name)) ?? []), { name, text }]);
  }
  return [...folders.values()];
}

const write = (line: string) => process.stdout.write(`${line}\n`);
const counts = {
  files: 0,
  converted: 0,
  services: 0,
  losses: 0,
  filesWithLosses: 0,
  mostLines: 0,
  running: 0,
};

/** Counts the losses of an input, and applies its manifest. */
async function look(
  path: string,
  convert: () => { manifest: { components: object }; notes: readonly Note[]; losses: string[] },
): Promise<void> {
  counts.files++;
  let converted: ReturnType<typeof convert>;
  try {
    converted = convert();
  } catch (error) {
    write(`${path}: not converted: ${(error as Error).message}`);
    return;
  }
  const { manifest, notes, losses } = converted;
  counts.converted++;
  counts.services += Object.keys(manifest.components).length;
  counts.mostLines = Math.max(counts.mostLines, linesOf(notes).length + 1);
  counts.losses += losses.length;
  if (losses.length > 0) counts.filesWithLosses++;
  for (const loss of losses) write(`${path}: ${loss}`);
  const { TRELLIS_URL: url, TRELLIS_TOKEN: token } = process.env;
  if (!url || !token || Object.keys(manifest.components).length === 0) return;
  const problem = await problemOf({ url, token }, manifest);
  if (problem) write(`${path}: not running: ${problem}`);
  else counts.running++;
}

const paths = process.argv.slice(2).flatMap(filesIn);
for (const path of paths.filter(isCompose)) {
  const text = readFileSync(path, 'utf8');
  const folder = dirname(path);
  const env = envBeside(folder);
  let file: any;
  try {
    file = filled(parse(text, { merge: true, maxAliasCount: -1, logLevel: 'silent' }), env);
  } catch (error) {
    write(`${path}: not read: ${(error as Error).message}`);
    continue;
  }
  if (!file?.services) continue;
  await look(path, () => {
    const given = { sources: [{ name: path, text }], files: filesBelow(folder), folder };
    const result = convertCompose({ ...given, folderName: basename(folder), env: {} });
    return { ...result, losses: lossesOf(file, env, result) };
  });
}
for (const sources of manifestsIn(paths.filter((path) => !isCompose(path)))) {
  const folder = dirname(sources[0]!.name);
  await look(folder, () => {
    const result = convertKubernetes({ sources, application: basename(folder) });
    const documents = sources.flatMap(({ text }) =>
      parseAllDocuments(text, { merge: true, logLevel: 'silent' }).map((document) => document.toJS()),
    );
    return { ...result, losses: kubernetesLosses(documents, result) };
  });
}
write(JSON.stringify(counts));
